/** A bar of time at the top of a page: where it stands, the page is shown as it was. Arrow keys move it, marks are what
 * happened, and Play goes on by itself. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { marksQuery, type PastOf } from "@/api/history-queries";
import { momentText, tickText, timeTicks } from "@/lib/time-axis";
import { Segmented } from "@/ui/segmented";
import { marksWithin, neighbour, placed, type Window, windowOf } from "./moments";
import { markText } from "./points";
import { RANGES, type RangeKey } from "./ranges";

const SPANS = RANGES.filter(({ key }) => key !== "15min");
export const DEFAULT_SPAN: RangeKey = "24h";
const PLAY_MS = 1000;

export function Scrubber(props: {
  /** The moment that is shown. */
  at: string;
  span: RangeKey;
  /** Whose marks it has. */
  of?: PastOf | undefined;
  onMove: (at: string) => void;
  onSpan: (span: RangeKey) => void;
  /** Compare later moments with this one; null while that is done. */
  onCompare: (() => void) | null;
}): ReactNode {
  const { at, span, onMove } = props;
  const [now] = useState(() => Date.now());
  const atS = Date.parse(at) / 1000;
  const window = windowOf(atS * 1000, Math.max(now, atS * 1000), span);
  const place = placed(atS, window);
  const { data } = useQuery(marksQuery({ from: isoOf(window.start), to: isoOf(window.end) }, props.of));
  const marks = marksWithin(data?.items ?? [], window);
  const ats = marks.map((mark) => mark.at);
  const [plays, setPlays] = useState(false);
  useEffect(() => {
    if (!plays) return;
    const next = place + window.stepS;
    if (next > window.end) {
      setPlays(false);
      return;
    }
    const timer = setTimeout(() => onMove(isoOf(next)), PLAY_MS);
    return () => clearTimeout(timer);
  }, [plays, place, window.stepS, window.end, onMove]);
  return (
    <div className="scrubber" data-testid="scrubber">
      <div className="scrubber-tools">
        <Segmented label="Time shown by the bar" value={span} options={SPANS} onChange={props.onSpan} />
        <button type="button" className="btn small" aria-pressed={plays} onClick={() => setPlays(!plays)}>
          {plays ? "Pause" : "Play"}
        </button>
        {props.onCompare && (
          <button type="button" className="btn small" onClick={props.onCompare}>
            Compare from here
          </button>
        )}
        <Jump text="Earlier mark" to={neighbour(ats, place, -1)} onMove={onMove} />
        <Jump text="Later mark" to={neighbour(ats, place, 1)} onMove={onMove} />
      </div>
      <div className="scrubber-bar">
        <Track window={window} marks={marks} onMove={onMove} />
        <input
          type="range"
          aria-label="Moment"
          aria-valuetext={momentText(place)}
          min={window.start}
          max={window.end}
          step={window.stepS}
          value={place}
          onChange={(event) => onMove(isoOf(Number(event.target.value)))}
        />
        <div className="scrubber-ticks" aria-hidden="true">
          {timeTicks(window.start, window.end, 8).map((tick) => (
            <span key={tick} style={{ left: `${(100 * (tick - window.start)) / (window.end - window.start)}%` }}>
              {tickText(tick, window.end - window.start)}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

function Track(props: {
  window: Window;
  marks: ReturnType<typeof marksWithin>;
  onMove: (at: string) => void;
}): ReactNode {
  return (
    <div className="scrubber-marks">
      {props.marks.map(({ mark, at, place }) => (
        <button
          key={`${mark.kind}${mark.id}`}
          type="button"
          tabIndex={-1}
          className={`mark-at ${mark.kind}`}
          style={{ left: `${100 * place}%` }}
          title={`${momentText(at)}, ${markText(mark)}`}
          aria-label={`${momentText(at)}, ${markText(mark)}`}
          onClick={() => props.onMove(isoOf(placed(at, props.window)))}
        />
      ))}
    </div>
  );
}

function Jump(props: { text: string; to: number | null; onMove: (at: string) => void }): ReactNode {
  const { to } = props;
  return (
    <button
      type="button"
      className="btn quiet small"
      disabled={to === null}
      title={to === null ? "Nothing happened there in the time that the bar shows" : undefined}
      onClick={() => to !== null && props.onMove(isoOf(to))}
    >
      {props.text}
    </button>
  );
}

export function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
