// Tab leads through every section and out of it again, and the focus can always be seen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, MOST_STOPS } from "./keys.mjs";
import { inBrowsers, SECTIONS, settled, SMALL } from "./live_page.mjs";

/// Notes how the focused element looks now that it has the focus, and how the one before it looks now that it has not.
const observeFocus = () => {
  const look = (element) => {
    // What shows the focus: the element, what follows a hidden radio button, or the outline in a drawing.
    const shown = [element, element.nextElementSibling, element.querySelector(".outline")].filter(Boolean);
    const styles = shown.map((one) => getComputedStyle(one));
    return styles.map(({ outline, boxShadow, stroke, strokeWidth }) =>
      [outline, boxShadow, stroke, strokeWidth].join(),
    );
  };
  const before = window.focusedBefore;
  const element = document.activeElement;
  const { right, bottom, left, top } = element.getBoundingClientRect();
  window.focusedBefore = element === document.body ? null : { element, look: look(element).join(" ") };
  return {
    name: element.outerHTML.slice(0, 120),
    out: element === document.body || element.matches(".skip-link"),
    inSight: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
    unseenBefore: !!before && before.element.isConnected && before.look === look(before.element).join(" "),
  };
};

inBrowsers(`${SMALL}break`, (first, another, browser) => {
  for (const place of [...SECTIONS, "course"]) {
    test(`Tab leads through ${place}, and the focus is seen`, async () => {
      // When Tab has left a page, the toolbar has the focus. In Firefox, no key or click of a test brings it back.
      const page = browser === "firefox" ? await another(`${SMALL}break`) : first();
      // After an update, there is more to show.
      await page.run(() => window.glassformer.position.value || window.glassformer.train(1));
      await follow(page, place);
      // The section has all its numbers: any that came later would move what has the focus.
      await settled(() => page.run(() => document.documentElement.scrollHeight));
      await page.run(() => {
        window.focusedBefore = null;
        document.documentElement.style.scrollBehavior = "auto"; // at once
      });
      const stops = [];
      do {
        await page.press("Tab");
        stops.push(await page.run(observeFocus));
      } while (!stops.at(-1).out && stops.length < MOST_STOPS);
      assert.ok(stops.length < MOST_STOPS, `no way out of ${stops.at(-1).name}`);
      assert.ok(stops.length > 3);
      const unseen = stops.filter((_, i) => stops[i + 1]?.unseenBefore).map(({ name }) => name);
      assert.deepEqual(unseen, [], "the focus is not seen");
      assert.deepEqual(
        stops.filter(({ inSight, out }) => !inSight && !out),
        [],
        "out of sight",
      );
      if (page !== first()) await page.close();
    });
  }
});
