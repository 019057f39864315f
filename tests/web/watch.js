/* In every page of a browser test: whatever stands in a wrong place is told once, when it comes, not only at the end. */
(() => {
  // The browser draws PDFs by pages of its own, and the documentation of the API is Swagger's page.
  if (!location.protocol.startsWith("http") || location.pathname === "/docs") return;
  const NESTED = ["form form", "a a", "button button", "a button", "button a", "label label"];
  const told = new Set();

  function tell(found) {
    if (told.has(found)) return;
    told.add(found);
    globalThis.tellOfTheWatch(`${found} at ${location.pathname}`);
  }

  function look() {
    for (const nested of NESTED) if (document.querySelector(nested) !== null) tell(`nested: ${nested}`);
    const ids = new Set();
    for (const { id } of document.querySelectorAll("[id]")) {
      if (ids.has(id)) tell(`two elements of one id: ${id}`);
      ids.add(id);
    }
  }

  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributeFilter: ["id"] });
})();
