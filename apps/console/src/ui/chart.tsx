import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

/** Times of a day as its reader writes them. */
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** One line over time, drawn; `summary` says the same to who does not see it. */
export function Chart({
  times,
  values,
  label,
  summary,
}: {
  /** Seconds since the epoch. */
  times: readonly number[];
  values: readonly (number | null)[];
  label: string;
  summary: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const colours = () => {
      const style = getComputedStyle(element);
      return { ink: style.color, line: style.borderTopColor, accent: style.outlineColor };
    };
    const axis = {
      stroke: () => colours().ink,
      grid: { stroke: () => colours().line, width: 1 },
      ticks: { show: false },
      font: '11px ui-sans-serif, system-ui, sans-serif',
    };
    const made = new UPlot(
      {
        width: element.clientWidth,
        height: 180,
        legend: { show: false },
        cursor: { y: false },
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.15)] } },
        axes: [
          { ...axis, space: 80, values: (_, seconds) => seconds.map((at) => clock.format(at * 1_000)) },
          { ...axis, size: 44 },
        ],
        series: [
          {},
          {
            label,
            stroke: () => colours().accent,
            fill: () => `color-mix(in srgb, ${colours().accent} 14%, transparent)`,
            width: 2,
            points: { show: false },
          },
        ],
      },
      [[], []],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: 180 }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => made.redraw();
    scheme.addEventListener('change', redraw);
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      observer.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', redraw);
      made.destroy();
    };
  }, [label]);
  useEffect(() => plot.current?.setData([[...times], [...values]]), [times, values]);
  return (
    <div role="img" aria-label={`${label}: ${summary}`} className="text-ink-3">
      {/* Its colours are read from here: of lines its border, of the curve its outline. */}
      <div ref={place} className="h-[180px] border-line outline-accent" />
    </div>
  );
}
