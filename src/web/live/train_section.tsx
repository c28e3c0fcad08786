// Train the model: one update, ten, or until you stop; and what it has learned so far.
import { AttentionLayer } from "../figures/attention_layer";
import { SentenceChooser } from "../figures/sentence_chooser";
import { sentenceOf, type SectionProps } from "../sections/choices";
import type { Trace } from "../trace/trace";
import { DigestPanel } from "./digest_panel";
import { textOf } from "./forcing";
import { ForcingFigure } from "./forcing_figure";
import { HowGood } from "./how_good";
import { HeadChips, headSwitch, WithoutHeads } from "./head_chips";
import { freeRuns, tracedUpdate } from "./pass_state";
import { sameWords } from "./sentence_scores";
import { TimeSlider } from "./time_slider";
import { TrainButtons, TrainCurves, TrainFigures } from "./train_controls";
import { TrainedSnapshot } from "./training_help";
import { TranslationTable } from "./translation_table";
import { WorkerChooser } from "./worker_chooser";
import "../sections/answer_section.css";
import "./train_section.css";

export function TrainSection(props: SectionProps) {
  const { trace, choices } = props;
  const sentence = sentenceOf(props);
  return (
    <>
      <p class="lead">
        An update takes the next batch, computes the loss and its gradient, and changes every weight a little. All other
        sections follow.
      </p>
      <div class="train">
        <div>
          <TrainButtons />
          <p>
            <TrainedSnapshot />
          </p>
          <TrainFigures />
          <TrainCurves />
          <TimeSlider />
          <WorkerChooser />
          <DigestPanel />
        </div>
        <div>
          <h3>
            What it has learned <span class="shape">after update {tracedUpdate.value}</span>
          </h3>
          <Translations trace={trace} />
          <SentenceChooser trace={trace} chosen={sentence} choose={(value) => (choices.sentence.value = value)} />
          <LastCrossAttention {...{ trace, sentence }} />
        </div>
      </div>
      <h3>Teacher forcing and free running</h3>
      <p>
        In training, the decoder reads the expected tokens, whatever it predicts itself. In translation there are none,
        so it reads its own predictions. Early in training, one wrong token is enough for the two to drift apart. In the
        table, p is the probability of the predicted token. On the left, the prediction is the likeliest token, whatever
        it is. On the right, a search chooses, and a search never chooses &lt;s&gt; or &lt;pad&gt;, because no
        translation contains them.
      </p>
      <ForcingFigure {...{ trace, sentence }} />
      <h3>How good is it?</h3>
      <HowGood />
      <h3>Without a head</h3>
      <p>A head that is off adds nothing to the output of its layer. Training uses all heads.</p>
      <HeadChips trace={trace} />
      <WithoutHeads trace={trace} />
    </>
  );
}

function Translations({ trace }: { trace: Trace }) {
  const rows = trace.json.sentences.map(({ source, target }, i) => {
    const own = textOf(freeRuns.value[i]);
    const right = sameWords(own, target);
    return {
      source,
      expected: target,
      own: (
        <>
          <bdi>{own || "(nothing)"}</bdi> <span class={right ? "right" : "wrong"}>{right ? "✓" : "✗"}</span>
        </>
      ),
    };
  });
  return <TranslationTable name="Translations" rows={rows} />;
}

/// Where the decoder's last layer looks in the source. All maps are in the section on attention.
function LastCrossAttention({ trace, sentence }: { trace: Trace; sentence: number }) {
  const layer = trace.json.attention.findLast(({ kind }) => kind === "cross");
  if (!layer) return null;
  return (
    <AttentionLayer
      {...{ trace, layer, sentence }}
      title={`Cross-attention, layer ${layer.layer}`}
      heads={headSwitch(layer)}
    />
  );
}
