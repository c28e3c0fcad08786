// Browsers without a window, and the few things that the tests do with a page in them. Playwright drives Chromium;
// Puppeteer drives Firefox, through WebDriver BiDi, because Playwright needs a Firefox of its own.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));
const FIREFOX = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => existsSync(path));

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

  run(task, argument) {
    return this.page.evaluate(task, argument);
  }

  async until(condition, argument) {
    if (this.page.context) await this.page.waitForFunction(condition, argument, { timeout: 120_000 });
    else await this.page.waitForFunction(condition, { timeout: 120_000 }, argument);
  }

  press(key) {
    return this.page.keyboard.press(key);
  }

  resize(width, height) {
    return this.page.setViewportSize
      ? this.page.setViewportSize({ width, height })
      : this.page.setViewport({ width, height });
  }

  close() {
    return this.page.close();
  }
}

export const BROWSERS = {
  chromium: CHROMIUM && {
    start: () => chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
    page: async (browser) => new Page(await browser.newPage({ viewport: { width: 1280, height: 900 } })),
  },
  firefox: FIREFOX && {
    start: () => puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true }),
    page: async (browser) => new Page(await browser.newPage()),
  },
};
