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
async def test_what_is_nested_for_a_moment_is_told(site, pool, nested):
    visits = Visits(site, pool)
    page = await visits.window()
    await page.goto("/login")
    await page.evaluate(FLEETING, nested.split())

    assert await visits.end() == [f"in the page: nested: {nested} at /login"]


async def test_an_id_that_stands_twice_is_told(site, pool):
    visits = Visits(site, pool)
    page = await visits.window()
    await page.goto("/login")
    await page.evaluate(
        "for (const tag of ['p', 'p']) document.body.append(Object.assign(document.createElement(tag), {id: 'one'}))"
    )

    assert await visits.end() == ["in the page: two elements of one id: one at /login"]
