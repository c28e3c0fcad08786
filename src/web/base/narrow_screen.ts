// Whether the screen is as narrow as a phone's: wide figures become lists.
import { signal } from "@preact/signals";

const media = window.matchMedia("(max-width: 40rem)");

export const narrowScreen = signal(media.matches);

media.addEventListener("change", () => (narrowScreen.value = media.matches));
