// What pages do in the browser: everything else works without this file.
(function () {
  "use strict";

  // htmx sends the token of the page with every request that changes something.
  var token = document.querySelector('meta[name="csrf"]');
  document.addEventListener("htmx:config:request", function (event) {
    if (token) event.detail.ctx.request.headers["X-CSRF-Token"] = token.content;
  });

  // Times in the reader's time zone; the server writes UTC.
  function localTimes(root) {
    root.querySelectorAll("time[data-local]").forEach(function (time) {
      var moment = new Date(time.dateTime);
      if (isNaN(moment)) return;
      time.title = time.textContent;
      time.textContent = moment.toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
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

  // A choice with data-submit sends its form at once.
  document.addEventListener("change", function (event) {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });

  // A form with a data-redraw button sends itself into its frame a moment after a change.
  document.addEventListener("input", function (event) {
    var form = event.target.form, button = form && form.querySelector("[data-redraw]");
    if (!button) return;
    clearTimeout(form.redraw);
    form.redraw = setTimeout(function () { form.requestSubmit(button); }, 700);
  });

  // A form with data-confirm asks once.
  document.addEventListener("submit", function (event) {
    var question = event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });

  // The first field with an error has the focus.
  var invalid = document.querySelector('[aria-invalid="true"]');
  if (invalid) invalid.focus();

  localTimes(document);
  document.addEventListener("htmx:after:swap", function () { localTimes(document); });
})();
