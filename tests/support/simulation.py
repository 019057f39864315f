"""Looks for words on a screen that name the tax agency and do not say that it is simulated."""

from playwright.async_api import Page

NAMED = r"por la AEAT|a la AEAT|de la AEAT|by the AEAT|to the AEAT|of the AEAT"
"""Words by which something is sent to the tax agency or comes from it."""
UNSAID = """named => {
  const outer = "p, li, dd, dt, td, th, label, button, a, h1, h2, h3, figcaption, summary, option, legend";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (parent.closest("script, style") || !parent.checkVisibility()) continue;
    const block = (parent.closest(outer) ?? parent).textContent;
    if (new RegExp(named).test(text.data) && !/simula/i.test(block)) found.add(block.trim().slice(0, 200));
  }
  for (const one of document.querySelectorAll("[alt], [title], [aria-label]"))
    for (const name of ["alt", "title", "aria-label"]) {
      const words = one.getAttribute(name) ?? "";
      if (new RegExp(named).test(words) && !/simula/i.test(words)) found.add(`${name}: ${words}`);
    }
  return [...found];
}"""


async def unsaid(page: Page) -> list[str]:
    """Blocks of the page that name the agency and do not say that it is a simulation."""
    return await page.evaluate(UNSAID, NAMED)
