import { clsx } from 'clsx';

/** Possible distances between grid lines. All are whole numbers, because the chart shows counts. */
const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) => [1, 2, 5].map((one) => one * 10 ** power));
const mostLines = 4;
/** Maximum number of labels below the bars. */
const labels = 5;

/** The parts of a bar, from bottom to top, with their colors. */
const parts = [
  ['succeeded', 'bg-accent'],
  ['canceled', 'bg-line-strong'],
  ['failed', 'bg-bad'],
] as const;

export interface Bar {
  readonly at: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

const sumOf = ({ succeeded, failed, canceled }: Bar) => succeeded + failed + canceled;

/** A chart of stacked bars, one per span of time. `summary` describes it for screen readers. */
export function Bars({
  bars,
  label,
  summary,
  timeText,
}: {
  bars: readonly Bar[];
  label: string;
  summary: string;
  timeText: (at: string) => string;
}) {
  const most = Math.max(1, ...bars.map(sumOf)) * 1.1;
  const step = steps.find((one) => most / one <= mostLines) ?? most;
  const lines = Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
  const every = Math.max(1, Math.ceil(bars.length / labels));
  return (
    <div role="img" aria-label={`${label}: ${summary}`} className="relative h-[200px] text-[11px] text-ink-3">
      <div className="absolute top-2 right-1 bottom-7 left-9">
        {lines.map((line) => (
          <div
            key={line}
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: `${(line / most) * 100}%` }}
          >
            <span className="absolute right-full -translate-y-1/2 pr-2">{line.toLocaleString()}</span>
          </div>
        ))}
        <div className="absolute inset-0 flex items-end gap-px">
          {bars.map((bar) => (
            <div
              key={bar.at}
              title={`${timeText(bar.at)}: ${bar.succeeded} succeeded, ${bar.failed} failed, ${bar.canceled} canceled`}
              className="flex h-full min-w-0 flex-1 flex-col-reverse hover:bg-sunken"
            >
              {parts.map(([part, color]) =>
                bar[part] === 0 ? null : (
                  <div
                    key={part}
                    className={clsx('min-h-0.5', color)}
                    style={{ height: `${(bar[part] / most) * 100}%` }}
                  />
                ),
              )}
            </div>
          ))}
        </div>
        {bars.map(({ at }, index) =>
          index % every === 0 ? (
            <span
              key={at}
              className="absolute top-full pt-2 whitespace-nowrap"
              style={{ left: `${(index / bars.length) * 100}%` }}
            >
              {timeText(at)}
            </span>
          ) : null,
        )}
      </div>
    </div>
  );
}
