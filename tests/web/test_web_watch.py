"""The watch over every browser test: what HTML forbids where it stands is told, also where it goes away again."""

import pytest

from web.conftest import Visits

FLEETING = """([outer, inner]) => {
  const around = document.createElement(outer);
  around.append(document.createElement(inner));
  document.body.append(around);
  return new Promise((done) => requestAnimationFrame(() => done(around.remove())));
}"""


@pytest.mark.parametrize("nested", ["form form", "a a", "button button"])
async def test_what_is_nested_for_a_moment_is_told(site, browser, nested):
    visits = Visits(site, browser)
    page = await visits.window()
    await page.goto("/login")
    await page.evaluate(FLEETING, nested.split())
    await page.evaluate("document.title")

    assert visits.faults == [f"in the page: nested: {nested} at /login"]
    await visits.contexts[0].close()


async def test_an_id_that_stands_twice_is_told(site, browser):
    visits = Visits(site, browser)
    page = await visits.window()
    await page.goto("/login")
    await page.evaluate(
        "for (const tag of ['p', 'p']) document.body.append(Object.assign(document.createElement(tag), {id: 'one'}))"
    )
    await page.evaluate("document.title")

    assert visits.faults == ["in the page: two elements of one id: one at /login"]
    await visits.contexts[0].close()
