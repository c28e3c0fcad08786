// The map of the model, always in reach: as a column beside the page, or in a sheet that the button Map opens.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { wideScreen } from "../base/wide_screen";
import { ModelMap, type MapAddresses } from "../figures/model_map";
import type { BlockKind } from "../figures/model_map_blocks";
import { partTitle } from "../trace/names";
import type { AttentionKind } from "../trace/types";
import { sentenceOf, stepOf, type SectionProps } from "./choices";
import { foldMap, mapColumn, mapSheet, showMap } from "./map_state";
import "./map_panel.css";

interface MapPanelProps extends SectionProps {
  section: string; // the id of the section shown
  attention?: AttentionKind | undefined; // if the page speaks of one only
}

const ADDRESSES: MapAddresses = { ids: "#text", mask: "#masks", loss: "#answer" };

/// What the sections are about. In the walk, the reader is at a step.
const BLOCKS_OF: Record<string, "step" | BlockKind[]> = {
  text: ["ids"],
  masks: ["mask"],
  walk: "step",
  attention: ["attention"],
  answer: ["softmax", "loss"],
  gradient: ["memory", "way_back"],
  "what-if": ["mask"],
  update: ["way_back"],
};

/// For narrow screens, where there is no room for a column.
export function MapButton() {
  if (wideScreen.value) return null;
  return (
    <button type="button" class="map-button" aria-haspopup="dialog" onClick={showMap}>
      Map
    </button>
  );
}

/// For wide screens. Folded away, it is a narrow strip with a button.
export function MapColumn(props: MapPanelProps) {
  const isShown = mapColumn.value;
  const control = useRef<HTMLButtonElement>(null);
  const turned = useRef(false);
  useLayoutEffect(() => {
    if (turned.current) control.current?.focus({ preventScroll: true }); // the button that had the focus is gone
    turned.current = false;
  }, [isShown]);
  const turn = (action: () => void) => () => {
    turned.current = true;
    action();
  };
  if (!wideScreen.value) return null;
  return (
    <aside class={isShown ? "map-column" : "map-column folded"} aria-label="Map">
      {isShown ? (
        <MapView {...props}>
          <button type="button" class="quiet" onClick={() => (mapSheet.value = true)}>
            Enlarge
          </button>
          <button key="fold" ref={control} type="button" class="quiet" onClick={turn(foldMap)}>
            Fold away
          </button>
        </MapView>
      ) : (
        <button key="show" ref={control} type="button" onClick={turn(showMap)}>
          Map
        </button>
      )}
    </aside>
  );
}

/// A dialog: Escape closes it, and the focus returns to where it was.
export function MapSheet(props: MapPanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = mapSheet.value;
  useLayoutEffect(() => {
    if (!isOpen) return dialog.current!.close();
    dialog.current!.showModal();
    dialog.current!.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  useLayoutEffect(() => () => void (mapSheet.value = false), []); // it does not open again by itself
  const close = () => (mapSheet.value = false);
  const onClick = ({ target }: MouseEvent) => {
    const outside = target === dialog.current;
    if (outside || (target as Element).closest("a")) close();
  };
  return (
    <dialog ref={dialog} class="map-sheet" aria-label="Map" onClose={close} onClick={onClick}>
      {isOpen && (
        <MapView {...props}>
          <button type="button" class="quiet" onClick={close}>
            Close
          </button>
        </MapView>
      )}
    </dialog>
  );
}

function MapView({ children, section, attention, ...props }: MapPanelProps & { children: ComponentChildren }) {
  const { trace } = props;
  const pointed = useSignal<string | null>(null);
  const number = stepOf(props);
  useLayoutEffect(() => void (pointed.value = null), [trace, number, section]); // the block may be gone
  const here = BLOCKS_OF[section] ?? [];
  const { direction, part } = trace.step(number);
  const step = `You are at step ${number + 1} of ${trace.steps.length}, ${direction}: ${partTitle(trace, part)}.`;
  return (
    <div class="map-view">
      <div class="map-bar">
        <b>The model</b>
        {children}
      </div>
      <ModelMap
        {...{ trace, number, here, attention }}
        sentence={sentenceOf(props)}
        addresses={ADDRESSES}
        point={(text) => (pointed.value = text)}
      />
      <p class="map-note">
        {pointed.value ?? (here === "step" ? step : "Choose a block to go to its steps or its section.")}
      </p>
    </div>
  );
}
