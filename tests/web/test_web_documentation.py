"""The documentation of the API in a browser: it works within its content security policy."""

from playwright.async_api import expect


async def test_the_documentation_shows_and_tries_operations(visit):
    page = await visit.window()
    await page.goto("/docs")

    await page.get_by_role("button", name="get /api/ai/usage", exact=True).click()
    await page.get_by_role("button", name="Try it out").click()
    await page.get_by_role("button", name="Execute").click()

    await expect(page.locator(".live-responses-table")).to_contain_text("UNAUTHENTICATED")


async def test_a_script_that_is_not_the_documentations_does_not_run(visit):
    page = await visit.window()
    await page.goto("/docs")
    await expect(page.get_by_role("link", name="/api/ai/usage")).to_be_visible()

    ran = await page.evaluate(
        """() => { const script = document.createElement('script'); script.textContent = 'window.ran = true';
        document.body.append(script); return window.ran === true }"""
    )

    assert ran is False
    refused = [fault for fault in visit.faults if "Content Security Policy" in fault]
    assert refused
    assert refused == visit.faults
    await visit.forget_faults()
