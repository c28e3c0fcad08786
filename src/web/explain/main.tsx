// The entry point of the page that `glassformer explain` writes: one trace, which never changes by itself.
import "../base/base.css";
import { followSameAddress } from "../base/same_address";
import { show } from "../base/show";
import { Trace } from "../trace/trace";
import type { TraceJson } from "../trace/types";
import { MapButton } from "../sections/map_panel";
import { ChosenSection, Footer, PageMap, SectionLinks } from "./page";
import { follow, trace } from "./state";

follow(location.hash, false);
window.addEventListener("hashchange", () => follow(location.hash, true));
followSameAddress((address) => follow(address, true));
show("sections", <SectionLinks />);
show("main", <ChosenSection />);
show("map-button", <MapButton />);
show("map", <PageMap />);
show("footer", <Footer />);

/// For tests, and for the browser's console.
const glassformer = {
  steps: trace.peek().steps.length,
  /// Any matrix of the trace, by its number in "tensors".
  matrix(index: number) {
    const { rows, cols, numbers } = trace.peek().matrix(index);
    return { rows, cols, numbers: [...numbers] };
  },
  /// Shows another trace. What the reader has chosen stays.
  show(json: TraceJson): void {
    trace.value = new Trace(json);
  },
};
Object.assign(window, { glassformer });
