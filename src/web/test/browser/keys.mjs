// The keyboard's ways through the page.
import assert from "node:assert/strict";

/// After so many presses of Tab, there is no way out.
export const MOST_STOPS = 400;

/// Presses Tab until an element has the focus.
export async function reach(page, selector, key = "Tab") {
  const has = (selector) => document.activeElement.matches(selector);
  for (let i = 0; i < MOST_STOPS; ++i) {
    if (await page.run(has, selector)) return;
    await page.press(key);
  }
  assert.fail(`${key} does not reach ${selector}`);
}

export async function press(page, ...keys) {
  for (const key of keys) await page.press(key);
}

/// Follows a link of the navigation, from the beginning of the page. The heading has the focus then.
export async function follow(page, place) {
  await page.page.focus(".skip-link");
  await reach(page, `#sections [data-section="${place}"]`);
  await page.press("Enter");
  await page.until((selector) => document.activeElement.matches(selector), "main h2");
}
