import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { amountText } from '../../design/content/amount-text.ts';
import type { CapCurve } from './cap-curve.ts';
import { layoutChart } from './chart-layout.ts';
import { hourText } from './hour-text.ts';
import './cap-chart.css';

const HEIGHT = 220;
const FIRST_WIDTH = 640;
/** Nearer than this to an edge, a label stands inside. */
const EDGE_PX = 28;

/** A step curve of what counts against the cap, around now. Drawn to the width that it gets. */
export const CapChart = ({ curve }: { readonly curve: CapCurve }) => {
  const [box, width] = useWidth();
  const [titleId, descId] = [useId(), useId()];
  const layout = layoutChart(curve, width, HEIGHT);
  const { left, right, bottom, nowX, capY } = layout;
  return (
    <div class="cap-chart" ref={box}>
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-labelledby={`${titleId} ${descId}`}
      >
        <title id={titleId}>What counts against the daily cap</title>
        <desc id={descId}>{describe(curve)}</desc>
        <path class="cap-chart-past-area" d={layout.pastArea} />
        <path class="cap-chart-future-area" d={layout.futureArea} />
        <line class="cap-chart-axis" x1={left} x2={right} y1={bottom} y2={bottom} />
        <path class="cap-chart-future" d={layout.future} />
        <path class="cap-chart-past" d={layout.past} />
        <line class="cap-chart-cap" x1={left} x2={right} y1={capY} y2={capY} />
        <text class="cap-chart-cap-label" x={left} y={capY - 8}>
          Cap {amountText(curve.cap)} USDC
        </text>
        <line class="cap-chart-now" x1={nowX} x2={nowX} y1={layout.top - 4} y2={bottom} />
        <text class="cap-chart-now-label" x={nowX} y={layout.top - 10} text-anchor="middle">
          now
        </text>
        {layout.ticks.map(({ x, seconds }) => (
          <g key={seconds}>
            <line class="cap-chart-axis" x1={x} x2={x} y1={bottom} y2={bottom + 4} />
            <text class="cap-chart-tick" x={x} y={bottom + 18} text-anchor={anchorOf(x, width)}>
              {hourText(seconds)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
};

function anchorOf(x: number, width: number): 'start' | 'middle' | 'end' {
  if (x < EDGE_PX) return 'start';
  return x > width - EDGE_PX ? 'end' : 'middle';
}

function describe({ counted, cap, hours }: CapCurve): string {
  const now = `${amountText(counted)} of ${amountText(cap)} USDC count now.`;
  const later = hours.map(
    ({ freeAtSeconds, countedAfter }) =>
      `From ${hourText(freeAtSeconds)} on, ${amountText(countedAfter)} USDC count.`,
  );
  return [now, ...later].join(' ');
}

/** The width of an element, as it changes. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => setWidth(Math.max(element.clientWidth, 1));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}
