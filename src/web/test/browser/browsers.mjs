// Browsers without a window, and the few things that the tests do with a page in them. Playwright drives Chromium;
// Puppeteer drives Firefox, through WebDriver BiDi, because Playwright needs a Firefox of its own.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));
const FIREFOX = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => existsSync(path));

const PATIENCE = 40_000; // milliseconds

/// A page, the same for both browsers. `complaints`: errors on the console, uncaught errors, and requests to a network.
class Page {
  complaints = [];
  constructor(page) {
    this.page = page;
    page.on("console", (message) => {
      if (["error", "warning", "warn"].includes(message.type())) this.complaints.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.complaints.push(`error: ${error.message}`));
    page.on("request", (request) => {
      const own = /^(file:|data:|blob:|about:|http:\/\/127\.0\.0\.1)/.test(request.url());
      if (!own) this.complaints.push(`request: ${request.url()}`);
    });
  }

  /// Opens an address and waits for the first pass.
  async open(address) {
    await this.page.goto(address);
    await this.until(() => window.glassformer?.trace.value);
  }

  /// Shows a section: "masks", or a page of the course: "/course/03_softmax".
  async show(place) {
    await this.run((hash) => void (location.hash = hash), `#${place}`);
    const isCourse = place.startsWith("/course");
    await this.until(
      (selector) => document.querySelector(selector),
      isCourse ? ".course-index, .chapter-text:not([aria-busy=true])" : `.view-${place} > :nth-child(2)`,
    );
  }

  run(task, argument) {
    return this.page.evaluate(task, argument);
  }

  async until(condition, argument) {
    if (this.page.context) await this.page.waitForFunction(condition, argument, { timeout: PATIENCE });
    else await this.page.waitForFunction(condition, { timeout: PATIENCE }, argument);
  }

  /// Presses a key, such as "a", "Space", "Enter", or "Shift+Tab".
  async press(key) {
    const { keyboard, context } = this.page;
    if (context) return keyboard.press(key);
    // Puppeteer knows no combinations, and Space by its character only.
    const keys = key.split("+").map((one) => (one === "Space" ? " " : one));
    const last = keys.pop();
    for (const one of keys) await keyboard.down(one);
    await keyboard.press(last);
    for (const one of keys.reverse()) await keyboard.up(one);
  }

  async click(selector) {
    await (await this.page.waitForSelector(selector)).click();
  }

  /// Clicks the button whose text begins with `text`.
  async clickButton(text, within = "body") {
    const found = await this.page.evaluateHandle(
      ([text, within]) =>
        [...document.querySelector(within).querySelectorAll("button, summary")].find((one) =>
          one.textContent.trim().startsWith(text),
        ),
      [text, within],
    );
    if (!found.asElement()) throw new Error(`there is no button ${text} in ${within}`);
    await found.asElement().click();
  }

  /// Chooses one of the radio buttons under a legend.
  async choose(legend, text, within = "main") {
    const found = await this.page.evaluateHandle(
      ([legend, text, within]) => {
        const is = (element, text) => element?.textContent.trim() === text;
        const sets = [...document.querySelectorAll(`${within} fieldset`)];
        const chooser = sets.find((set) => is(set.querySelector("legend"), legend));
        return [...(chooser?.querySelectorAll("label") ?? [])].find((label) => is(label, text));
      },
      [legend, text, within],
    );
    if (!found.asElement()) throw new Error(`“${legend}” does not offer “${text}”`);
    await found.asElement().click();
  }

  /// Clicks a place of the window.
  async clickAt([x, y]) {
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.up();
  }

  /// Pastes a text into a field, instead of what is in it.
  async paste(selector, text) {
    await this.page.focus(selector);
    await this.run((text) => {
      document.activeElement.select();
      if (text === "") document.execCommand("delete");
      else document.execCommand("insertText", false, text);
    }, text);
  }

  /// The visible text of an element, with single spaces and without marks of direction; null: there is no such element.
  text(selector) {
    return this.run(
      (selector) =>
        document
          .querySelector(selector)
          ?.innerText.replace(/[\u2068\u2069]/g, "")
          .replace(/\s+/g, " ")
          .trim() ?? null,
      selector,
    );
  }

  /// Waits until the text of an element contains what is expected, and says what it is if it does not.
  async untilText(selector, expected) {
    const end = Date.now() + PATIENCE;
    let found = await this.text(selector);
    while (!found?.includes(expected)) {
      if (Date.now() > end) throw new Error(`${selector}: expected “${expected}”, found “${found}”`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      found = await this.text(selector);
    }
  }

  /// Trains the model, and waits until the page shows it.
  async train(updates) {
    await this.run((updates) => window.glassformer.train(updates), updates);
    await this.until(() => window.glassformer.tracedUpdate.value === window.glassformer.position.value);
  }

  /// (In Chromium only.)
  resize(width, height) {
    return this.page.setViewportSize({ width, height });
  }

  /// (In Chromium only.)
  dark(isDark) {
    return this.page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
  }

  close() {
    return this.page.close();
  }
}

export const BROWSERS = {
  chromium: CHROMIUM && {
    start: () => chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
    page: async (browser, options) =>
      new Page(await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })),
  },
  firefox: FIREFOX && {
    start: () => puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true }),
    page: async (browser) => new Page(await browser.newPage()),
  },
};
