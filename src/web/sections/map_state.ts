// Whether the map of the model is shown: on a wide screen in a column beside the page, else in a sheet above it. On a wide
// screen the sheet shows it enlarged.
import { computed, signal } from "@preact/signals";
import { wideScreen } from "../base/wide_screen";

const columnWanted = signal(true);

export const mapColumn = computed(() => wideScreen.value && columnWanted.value);
export const mapSheet = signal(false);

/// Shows the map in the place that fits the screen.
export function showMap(): void {
  if (wideScreen.value) columnWanted.value = true;
  else mapSheet.value = true;
}

export const foldMap = (): void => void (columnWanted.value = false);
