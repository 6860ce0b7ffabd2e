import type { CapCurve } from './cap-curve.ts';

/** Pixels; the plot is the area inside the axes. */
export type ChartLayout = {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly nowX: number;
  readonly capY: number;
  /** SVG paths: what counts up to now, and how it stops counting. */
  readonly past: string;
  readonly future: string;
  /** The same, closed down to the axis. */
  readonly pastArea: string;
  readonly futureArea: string;
  readonly ticks: readonly { readonly x: number; readonly seconds: number }[];
};

const LEFT = 8;
const RIGHT = 8;
const TOP = 28;
const BOTTOM = 28;
/** The cap is drawn at this share of the height, so that a count above it is visible. */
const HEADROOM_PERCENT = 115n;
const PRECISION = 1_000_000n;
const HOUR_SECONDS = 3_600;
const MIN_TICK_PX = 72;

/** Where the parts of the chart go in a box of these pixels. */
export function layoutChart(curve: CapCurve, width: number, height: number): ChartLayout {
  const { fromSeconds, toSeconds, nowSeconds, steps, cap } = curve;
  const [right, bottom] = [width - RIGHT, height - BOTTOM];
  const most = curve.counted > cap ? curve.counted : cap;
  const x = (seconds: number): number =>
    round(LEFT + ((seconds - fromSeconds) / (toSeconds - fromSeconds)) * (right - LEFT));
  const y = (amount: bigint): number => {
    const share = Number((amount * 100n * PRECISION) / (most * HEADROOM_PERCENT));
    return round(bottom - (share / Number(PRECISION)) * (bottom - TOP));
  };
  const now = { atSeconds: nowSeconds, counted: curve.counted };
  const before = [...steps.filter(({ atSeconds }) => atSeconds <= nowSeconds), now];
  const after = [now, ...steps.filter(({ atSeconds }) => atSeconds > nowSeconds)];
  const end = { atSeconds: toSeconds, counted: after.at(-1)?.counted ?? 0n };
  const line = (points: CapCurve['steps']): string =>
    points
      .map(({ atSeconds, counted }, i) =>
        i === 0 ? `M${x(atSeconds)} ${y(counted)}` : `H${x(atSeconds)}V${y(counted)}`,
      )
      .join('');
  const area = (points: CapCurve['steps']): string =>
    `${line(points)}V${bottom}H${x(points[0]?.atSeconds ?? fromSeconds)}Z`;
  return {
    width,
    height,
    left: LEFT,
    right,
    top: TOP,
    bottom,
    nowX: x(nowSeconds),
    capY: y(cap),
    past: line(before),
    future: line([...after, end]),
    pastArea: area(before),
    futureArea: area([...after, end]),
    ticks: ticksOf(curve, (right - LEFT) / (toSeconds - fromSeconds)).map((seconds) => ({
      x: x(seconds),
      seconds,
    })),
  };
}

/** Full hours, as many as have room for their label. */
function ticksOf({ fromSeconds, toSeconds }: CapCurve, pxPerSecond: number): number[] {
  const every =
    [3, 6, 12, 24].find((hours) => hours * HOUR_SECONDS * pxPerSecond >= MIN_TICK_PX) ?? 24;
  const ticks: number[] = [];
  for (let at = fromSeconds; at <= toSeconds; at += HOUR_SECONDS) {
    const hour = new Date(at * 1_000).getHours();
    if (hour % every === 0) ticks.push(at);
  }
  return ticks;
}

const round = (px: number): number => Math.round(px * 10) / 10;
