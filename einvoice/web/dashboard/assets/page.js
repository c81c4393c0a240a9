// What pages do in the browser: everything else works without this file.
(function () {
  "use strict";

  // htmx sends the token of the page with every request that changes something.
  var token = document.querySelector('meta[name="csrf"]');
  document.addEventListener("htmx:config:request", function (event) {
    if (token) event.detail.ctx.request.headers["X-CSRF-Token"] = token.content;
  });

  // Answers that do not change the page: those of proxies, of another session, and refusals. The page
  // stays as it is, a banner says why, and what can be repeated is asked again.
  var trouble = document.getElementById("trouble"), texts = document.getElementById("troubles");
  var mark = document.querySelector('meta[name="session"]');
  var failing = new Map(), pauses = 0, again = null;
  if (trouble) trouble.setAttribute("role", "alert");

  function tell(kind, detail) {
    if (!trouble) return;
    var text = texts.content.querySelector('[data-kind="' + kind + '"]').cloneNode(true);
    var place = text.querySelector("span");
    if (place) place.textContent = detail || "";
    if (trouble.textContent !== text.textContent) trouble.replaceChildren(text);
    trouble.hidden = false;
  }

  function isRepeated(source) {
    return /\bretry\b|\bevery\b/.test(source.getAttribute("hx-trigger") || "");
  }

  function failed(source, kind, detail) {
    if (kind === "away" && !isRepeated(source)) kind = "again";
    failing.set(source, kind);
    tell(kind, detail);
    if (kind !== "away") return;
    pauses = Math.min(pauses + 1, 5);
    clearTimeout(again);
    again = setTimeout(repeat, 2000 * pauses);
  }

  function repeat() {
    failing.forEach(function (kind, source) {
      if (!source.isConnected) failing.delete(source);
      else if (kind !== "refused") source.dispatchEvent(new CustomEvent("retry"));
    });
  }

  function succeeded(source) {
    failing.delete(source);
    // An answer of the session of the page says that nothing is wrong with it any more.
    failing.forEach(function (kind, other) {
      if (!other.isConnected || /^(stale|login|other)$/.test(kind)) failing.delete(other);
    });
    if (failing.size || !trouble) return;
    pauses = 0;
    trouble.hidden = true;
  }

  window.addEventListener("online", repeat);
  window.addEventListener("focus", repeat);

  function faultOf(response) {
    var session = response.headers.get("Einvoice-Session"), status = response.status;
    if (session === null || status === 429 || status >= 500) return "away";
    if (status === 401) return "login";
    if (mark && session !== mark.content) return "other";
    if (status === 403 && response.headers.get("X-CSRF-Token")) return "stale";
    return status >= 400 ? "refused" : null;
  }

  // A form of an earlier session of the same person gets the token of the present one.
  function renew(given) {
    token.content = given;
    document.querySelectorAll('input[name="csrf"]').forEach(function (field) { field.value = given; });
  }

  document.addEventListener("htmx:before:response", function (event) {
    var ctx = event.detail.ctx, source = ctx.sourceElement, raw = ctx.response.raw;
    var fault = faultOf(raw);
    if (fault === null) return succeeded(source);
    event.preventDefault();
    if (fault === "stale") renew(raw.headers.get("X-CSRF-Token"));
    failed(source, fault, fault === "away" ? "(" + raw.status + ")" : "");
    if (fault === "stale" && isRepeated(source)) setTimeout(repeat, 0);
    if (fault !== "refused") return;
    raw.text().then(function (text) {
      var title = new DOMParser().parseFromString(text, "text/html").querySelector("h1");
      if (title) tell("refused", title.textContent);
    });
  });
  document.addEventListener("htmx:error", function (event) {
    var ctx = event.detail.ctx;
    if (ctx && ctx.sourceElement) failed(ctx.sourceElement, "away");
  });

  // What was typed into a form that is sent by loading a page is kept in this tab until an answer of
  // the service has arrived, and is there again after a login or a way back.
  var TYPED = "einvoice-typed";

  function fieldsOf(form) {
    return Array.prototype.filter.call(form.elements, function (field) {
      return field.name && !/^(hidden|password|file|submit|button|reset|fieldset)$/.test(field.type);
    });
  }

  function keep(form) {
    var fields = fieldsOf(form).map(function (field) { return [field.name, field.value, field.checked]; });
    var kept = { path: location.pathname, action: form.getAttribute("action"), at: Date.now(), fields: fields };
    try { sessionStorage.setItem(TYPED, JSON.stringify(kept)); } catch (full) { /* it is not kept */ }
  }

  function putBack() {
    var kept = null, came = performance.getEntriesByType("navigation")[0];
    try { kept = JSON.parse(sessionStorage.getItem(TYPED)); } catch (broken) { /* nothing is put back */ }
    var isMarked = document.cookie.indexOf(TYPED + "=1") >= 0;
    if (!kept || !document.querySelector('meta[name="arrived"]')) return;
    // After a login the way back may lead over other pages.
    if (isMarked && kept.path !== location.pathname) return;
    sessionStorage.removeItem(TYPED);
    document.cookie = TYPED + "=; path=/dashboard; max-age=0";
    if (kept.path !== location.pathname || Date.now() - kept.at > 3600000) return;
    if (!isMarked && !(came && came.type === "back_forward")) return;
    Array.prototype.forEach.call(document.forms, function (form) {
      if (form.method !== "post" || form.getAttribute("action") !== kept.action) return;
      for (var row = form.closest("details"); row; row = row.parentElement.closest("details")) row.open = true;
      var left = kept.fields.slice();
      fieldsOf(form).forEach(function (field) {
        var at = left.findIndex(function (each) {
          return each[0] === field.name && (!/^(checkbox|radio)$/.test(field.type) || each[1] === field.value);
        });
        if (at < 0) return;
        var one = left.splice(at, 1)[0];
        if (/^(checkbox|radio)$/.test(field.type)) field.checked = one[2]; else field.value = one[1];
      });
    });
  }

  // Times in the reader's time zone, in the form of dates that they chose; the server writes UTC.
  function local(moment, style) {
    var page = document.documentElement, form = page.dataset.dates;
    if (!form) return moment.toLocaleString(page.lang, { dateStyle: "medium", timeStyle: style });
    var parts = { yyyy: moment.getFullYear(), MM: moment.getMonth() + 1, dd: moment.getDate() };
    return form.replace(/yyyy|MM|dd/g, function (part) { return String(parts[part]).padStart(2, "0"); }) +
      " " + moment.toLocaleTimeString(page.lang, { timeStyle: style });
  }

  function localTimes(root) {
    root.querySelectorAll("time[data-local]").forEach(function (time) {
      var moment = new Date(time.dateTime);
      if (isNaN(moment)) return;
      time.title = time.textContent;
      time.textContent = local(moment, time.dataset.local || "short");
      time.removeAttribute("data-local");
    });
  }

  // A button with data-copy puts the value of the field that it names on the clipboard.
  function copy(button) {
    var field = document.getElementById(button.dataset.copy);
    field.select();
    navigator.clipboard.writeText(field.value).then(function () {
      button.textContent = button.dataset.done;
    });
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });

  // A filter that is open closes by a press beside it, and by Escape; a key leads to its field.
  function closeChips(but) {
    document.querySelectorAll(".chip details[open]").forEach(function (each) {
      if (!but || !each.contains(but)) each.open = false;
    });
  }

  document.addEventListener("click", function (event) { closeChips(event.target); });
  document.addEventListener("keydown", function (event) {
    var opened = document.querySelector(".chip details[open]"), target = event.target;
    if (event.key === "Escape" && opened) {
      closeChips(null);
      opened.querySelector("summary").focus();
    }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    var field = event.key === "/" && document.querySelector('[data-key="/"]');
    if (!field) return;
    event.preventDefault();
    field.focus();
  });

  // A choice with data-submit sends its form at once.
  document.addEventListener("change", function (event) {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });

  // A form with a data-redraw button sends itself into its frame a moment after a change.
  document.addEventListener("input", function (event) {
    var form = event.target.form, button = form && form.querySelector("[data-redraw]");
    if (!button) return;
    clearTimeout(form.redraw);
    form.redraw = setTimeout(function () { form.requestSubmit(button); }, +button.dataset.redraw || 700);
  });

  // A form with data-confirm asks once.
  document.addEventListener("submit", function (event) {
    var question = event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
    else if (!event.defaultPrevented) {
      if (event.target.method === "post") keep(event.target);
      // The button shows that it works until the next page is there, or this one comes back.
      if (event.submitter && !event.submitter.formTarget) event.submitter.setAttribute("aria-busy", "true");
    }
  });
  function rest() {
    document.querySelectorAll("[aria-busy]").forEach(function (each) { each.removeAttribute("aria-busy"); });
  }
  window.addEventListener("pageshow", rest);
  document.addEventListener("htmx:finally:request", rest);
  document.addEventListener("visibilitychange", rest);

  // A moment in UTC is typed as the time of the reader where there are scripts.
  document.querySelectorAll("[data-zoned]").forEach(function (field) {
    var label = document.querySelector('label[for="' + field.id + '"]');
    var given = field.value && new Date(field.value + "Z");
    label.textContent = label.textContent.replace(/ ?\(UTC\)/, "");
    if (given) given.setMinutes(given.getMinutes() - given.getTimezoneOffset());
    if (given) field.value = given.toISOString().slice(0, 19);
    field.form.addEventListener("formdata", function (event) {
      var moment = new Date(field.value);
      if (!isNaN(moment)) event.formData.set(field.name, moment.toISOString().slice(0, 19));
    });
  });

  // A notice is shown once: not again when the page is loaded again, or its address is shared.
  var address = new URL(location.href);
  if (address.searchParams.has("notice")) {
    address.searchParams.delete("notice");
    history.replaceState(history.state, "", address);
  }
  putBack();

  // The first field with an error has the focus.
  var invalid = document.querySelector('[aria-invalid="true"]');
  if (invalid) invalid.focus();

  localTimes(document);
  document.addEventListener("htmx:after:swap", function () { localTimes(document); });
})();
