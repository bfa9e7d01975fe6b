/** Sizes of the host picture, in CSS pixels, and which of its two levels a host is drawn at. */

export type PictureLevel = "labelled" | "compact";

/** The most slots that are drawn with words; more are cells with a letter, so that a host stays on one screen. */
export const MOST_LABELLED = 128;

export function pictureLevel(units: number): PictureLevel {
  return units <= MOST_LABELLED ? "labelled" : "compact";
}

export interface Measure {
  readonly cellW: number;
  /** Cells grow so far where there is room. */
  readonly widestCell: number;
  readonly cellH: number;
  /** Between slots of one core, threads of one physical core, physical cores: the nearer, the more is shared. */
  readonly slotGap: number;
  readonly threadGap: number;
  readonly blockGap: number;
  readonly rowGap: number;
  /** Above the slots of a shared core. */
  readonly coreHead: number;
}

export const MEASURES: Record<PictureLevel, Measure> = {
  labelled: { cellW: 50, widestCell: 84, cellH: 58, slotGap: 1, threadGap: 1, blockGap: 4, rowGap: 8, coreHead: 18 },
  compact: { cellW: 12, widestCell: 12, cellH: 30, slotGap: 0, threadGap: 1, blockGap: 3, rowGap: 4, coreHead: 0 },
};

export const FRAME = {
  /** Node's name and sums above its frame. */
  title: 24,
  /** Between the frame and its cells. */
  pad: 6,
  /** Between shared cores: the words above two of them must not run into each other. */
  sharedGap: 14,
  nodeGapX: 56,
  narrowGapX: 24,
  nodeGapY: 14,
  /** Left of the first node where chains have tracks: ports, then letters. */
  ports: 100,
  trackPitch: 14,
  trackPad: 16,
  /** Core time, and the line of the last-level cache. */
  gauges: 68,
  /** Core time or memory bandwidth: words, bar. */
  bar: 41,
  link: 33,
  llcRow: 18,
  /** Below the ways: their numbers. */
  llcNumbers: 12,
  /** The gauges need words: a node is never narrower. */
  least: 264,
} as const;
