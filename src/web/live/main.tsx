// The entry point of the live page: it starts the engine, makes the first model, and shows it.
import "../base/base.css";
import { messageOf } from "../base/message";
import { followSameAddress } from "../base/same_address";
import { show } from "../base/show";
import { addWhatCame } from "./came_with_page";
import { create, defaults, engine, error, startWorkers } from "./engine_state";
import { ChosenSection, Footer, PageMap, PageMapButton, SectionLinks } from "./page";
import { missingFeatures } from "./browser_features";
import { isLink } from "./link";
import { beginWith, openLink } from "./link_state";
import { PageTools } from "./page_tools";
import { notice } from "./notice";
import { changeMasks, pairs, showPairs, trace, tracedUpdate } from "./pass_state";
import { follow } from "./route";
import { STARTS, starts } from "./starts";
import { Tour } from "./tour";
import { goTo, position, snapshots, stop, train, updates } from "./training_state";

follow(location.hash, false);
window.addEventListener("hashchange", () =>
  isLink(location.hash) ? void openLink(location.hash) : follow(location.hash, true),
);
followSameAddress((address) => follow(address, true));
show("sections", <SectionLinks />);
show("tools", <PageTools />);
show("main", <ChosenSection />);
show("map-button", <PageMapButton />);
show("map", <PageMap />);
show("tour", <Tour />);
show("footer", <Footer />);

/// For tests, and for the browser's console.
const glassformer = {
  ...{ STARTS, starts, create, startWorkers, engine, error, trace, pairs, showPairs, changeMasks },
  ...{ train, stop, goTo, position, tracedUpdate, updates, snapshots, notice },
};
Object.assign(window, { glassformer });

async function begin(): Promise<void> {
  try {
    const missing = missingFeatures();
    if (missing) throw new Error(missing);
    await startWorkers(1);
    await beginWith(location.hash, await addWhatCame(defaults.value));
  } catch (problem) {
    error.value = messageOf(problem);
  }
}
void begin();
