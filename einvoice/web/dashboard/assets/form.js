// What the form of a new invoice does beside page.js: everything else works without this file.
(function () {
  "use strict";

  // Enter in a line goes to the next one; after the last one there is a new one.
  document.addEventListener("keydown", function (event) {
    var line = event.key === "Enter" && event.target.matches("input") && event.target.closest(".line");
    if (!line || event.isComposing) return;
    event.preventDefault();
    var next = line.nextElementSibling, add = document.getElementById("add-line");
    if (next && next.matches(".line")) next.querySelector("input").focus();
    else if (add) add.click();
  });

  // Enter in the search takes the first customer that it has found; its button searches in place.
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Enter" || event.target.id !== "search" || event.isComposing) return;
    event.preventDefault();
    var first = document.querySelector("#customers button");
    if (first) first.click();
    else event.target.dispatchEvent(new CustomEvent("retry"));
  });
  document.addEventListener("click", function (event) {
    if (!event.target.matches('[name="edit"][value="search"]')) return;
    event.preventDefault();
    document.getElementById("search").dispatchEvent(new CustomEvent("retry"));
  });

  // Rows of a spreadsheet that are pasted into a line become lines.
  document.addEventListener("paste", function (event) {
    var text = event.clipboardData.getData("text/plain"), rows = document.getElementById("pasted");
    if (!rows || !event.target.closest(".line") || !/\t|\n\s*\S/.test(text)) return;
    event.preventDefault();
    rows.value = text;
    document.getElementById("paste-rows").click();
    rows.value = "";
  });

  // What waited for another answer sends the form as it is then: a check, a new line, the removal of
  // a line, which has moved up with each line above it that was removed meanwhile.
  var waiting = [];
  function removed(ctx) {
    var source = ctx.sourceElement;
    return source.name === "edit" && /^\d+$/.test(source.value) ? Number(source.value) : null;
  }
  document.addEventListener("htmx:config:request", function (event) {
    var ctx = event.detail.ctx;
    ctx.line = removed(ctx);
    if (ctx.line !== null) waiting.push(ctx);
  });
  document.addEventListener("htmx:before:request", function (event) {
    var ctx = event.detail.ctx, form = ctx.request.form, source = ctx.sourceElement;
    if (!form || form.id !== "form") return;
    if (ctx.isGone) event.preventDefault();
    if (source !== form && !/^(add-line|entered)$/.test(source.id) && ctx.line === null) return;
    ctx.request.body = new URLSearchParams(new FormData(form));
    if (source !== form && source.name) ctx.request.body.set(source.name, ctx.line === null ? source.value : ctx.line);
  });
  document.addEventListener("htmx:finally:request", function (event) {
    var done = event.detail.ctx;
    waiting = waiting.filter(function (ctx) { return ctx !== done; });
    if (done.status !== "swapped" || done.line === null) return;
    waiting.forEach(function (ctx) {
      if (ctx.line === done.line) ctx.isGone = true;
      else if (ctx.line > done.line) ctx.line -= 1;
    });
  });

  // After an answer: the focus of a new line, and no file or search result that is taken already.
  document.addEventListener("htmx:after:swap", function (event) {
    var source = event.detail.ctx.sourceElement, lines = document.querySelectorAll(".line");
    if (source.id === "add-line" && lines.length) lines[lines.length - 1].querySelector("input").focus();
    var files = document.getElementById("files"), hits = document.getElementById("customers");
    if (source.id === "files" && files && !files.matches("[aria-invalid]")) files.value = "";
    if (source.name === "customer" && hits) hits.replaceChildren();
  });
})();
