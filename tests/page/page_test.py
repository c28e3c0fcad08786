"""What all browser tests of the page share: a browser, and the actions of a user."""

import math
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/google-chrome") if Path(path).exists()), None)
CHROMEDRIVER = next((path for path in ("/usr/bin/chromedriver",) if Path(path).exists()), None)

# Moves the cursor of a heat map through all its cells and returns what the readout shows for each, row by row. (The page
# draws in a microtask.)
READ_MAP = """
const [view, readout] = arguments;
const [rows, cols] = view.ariaLabel.match(/(\\d+) rows?, (\\d+) columns?/).slice(1).map(Number);
const press = (key, ctrlKey = false) =>
  view.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true }));
return (async () => {
  view.focus();
  press("Home", true);
  const texts = [];
  for (let row = 0; row < rows; ++row) {
    press("Home");
    for (let col = 0; col < cols; ++col) {
      if (col > 0) press("ArrowRight");
      await null;
      texts.push(readout.querySelector(".value").textContent);
    }
    press("ArrowDown");
  }
  return texts;
})();
"""


def number_in(text):
    """The number in a readout, without the reason that may follow it after a comma.
    None if the readout shows "not finite"."""
    value = text.split(",")[0].replace("−", "-")
    words = {"not a number": math.nan, "not finite": None, "∞": math.inf, "-∞": -math.inf}
    return words[value] if value in words else float(value)


def fraction_in(text):
    """The fraction that a percentage stands for, and its rounding error; None if the text is "not finite"."""
    if text == "not finite":
        return None, 0
    if text.startswith("<"):
        return 0, float(text.strip("< %")) / 100
    percent = float(text.rstrip("%"))
    return percent / 100, (0.51 if percent >= 10 else 0.06 * percent) / 100


def open_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(CHROMEDRIVER) if CHROMEDRIVER else Service(), options=options)


class PageTest(unittest.TestCase):
    page = None  # the path of the page; open() opens it

    @classmethod
    def setUpClass(cls):
        cls.browser = open_browser()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.resize(1280, 800)

    def tearDown(self):
        severe = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual(severe, [])

    # The actions of a user

    def open(self, address):
        self.browser.get("about:blank")
        self.browser.get(f"{self.page.as_uri()}#{address}")

    def resize(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def find(self, selector, inside=None):
        return (inside or self.browser).find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector, inside=None):
        return (inside or self.browser).find_elements(By.CSS_SELECTOR, selector)

    def press(self, key):
        self.browser.switch_to.active_element.send_keys(key)

    def text(self, selector, inside=None):
        return self.find(selector, inside).get_attribute("textContent")

    def texts(self, selector, inside=None):  # in one call, because each call to the driver is slow
        return self.script("const [selector, inside] = arguments; return [...(inside ?? document)"
                           ".querySelectorAll(selector)].map((one) => one.textContent)", selector, inside)

    def wait_until(self, holds):
        """Use it after following a link: the browser runs the page's code for the new address a moment later."""
        WebDriverWait(self.browser, 30).until(lambda _: holds())

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def choose_sentence(self, sentence):
        self.script("arguments[0].click()", self.find(f".sentence-chooser input[value='{sentence}']"))

    def read_map(self, heat_map, readout):
        return self.script(READ_MAP, self.find(".heat-map-view", heat_map), readout)
