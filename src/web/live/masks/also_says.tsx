// What the live page adds to the words of a preset.
import { formatNumber } from "../../base/numbers";
import type { Trace } from "../../trace/trace";
import { unchanged } from "../pass_state";
import { gradientNorm } from "./pass_numbers";

const HUGE = 1000; // how many times as large a gradient is
const SHARE_PADDING = ["no_padding_masks", "no_cross_mask"];

export function AlsoSays({ trace, preset }: { trace: Trace; preset: string }) {
  if (SHARE_PADDING.includes(preset)) {
    return (
      <>
        A lower loss does not make it better, above all in an untrained model:{" "}
        <button type="button" class="quiet" onClick={showCompany}>
          compare the sentence with itself
        </button>
        , below.
      </>
    );
  }
  if (preset === "no_look_ahead") {
    return (
      <>
        That file is part of the project; in this page, <a href="#break">Break it</a> trains such a model.
      </>
    );
  }
  if (preset !== "inverted" || !unchanged.value) return null;
  const [before, after] = [gradientNorm(unchanged.value), gradientNorm(trace)];
  if (before === null || after === null || after < HUGE * before) return null;
  return (
    <>
      Why is the gradient so large ({formatNumber(after, 3)})? In a model that has hardly been trained, the rows of
      padding are 0 or nearly so. Their variance is about 0, so each layer norm divides them by √ε and makes their
      gradient about 1/√ε times as large: more than 300 times, norm after norm. Normally no word attends to padding, so
      no gradient reaches these rows. Here it does.
    </>
  );
}

const showCompany = () => document.querySelector(".company")?.scrollIntoView({ block: "start" });
