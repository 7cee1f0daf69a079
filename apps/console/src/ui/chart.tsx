import { clsx } from 'clsx';

/** Steps between the lines of what is counted: there are no halves. */
const steps = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((one) => one * 10 ** power));
const mostLines = 4;
/** Seconds between two times that are written. */
const marked = 30;

/** One line over time, second by second, drawn; `summary` says the same to who does not see it. */
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
  const most = Math.max(1, ...values.map((value) => value ?? 0)) * 1.15;
  const step = steps.find((one) => most / one <= mostLines) ?? most;
  const lines = Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
  const last = Math.max(1, times.length - 1);
  // In percent of the drawing, whose size only the browser knows.
  const across = (index: number) => (index / last) * 100;
  const up = (value: number) => 100 - (value / most) * 100;
  const points = values.flatMap((value, index) =>
    value === null ? [] : [{ x: across(index).toFixed(2), y: up(value).toFixed(2) }],
  );
  const curve = points.map(({ x, y }) => `${x},${y}`).join(' ');
  return (
    <div role="img" aria-label={`${label}: ${summary}`} className="relative h-[180px] text-[11px] text-ink-3">
      <div className="absolute top-2 right-9 bottom-7 left-9">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" className="size-full">
          {lines.map((line) => (
            <path
              key={line}
              d={`M0 ${up(line)}H100`}
              vectorEffect="non-scaling-stroke"
              className="stroke-line"
            />
          ))}
          <polygon
            points={`${points[0]?.x ?? 0},100 ${curve} ${points.at(-1)?.x ?? 0},100`}
            className="fill-accent/14"
          />
          <polyline
            points={curve}
            fill="none"
            strokeWidth="2"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
            className="stroke-accent"
          />
        </svg>
        {lines.map((line) => (
          <span
            key={line}
            className="absolute right-full -translate-y-1/2 pr-2"
            style={{ top: `${up(line)}%` }}
          >
            {line.toLocaleString()}
          </span>
        ))}
        {times.map((at, index) =>
          at % marked === 0 ? (
            <span
              key={at}
              // A phone has room for every other one.
              className={clsx(
                'absolute top-full -translate-x-1/2 pt-2 whitespace-nowrap',
                at % (2 * marked) !== 0 && 'max-sm:hidden',
              )}
              style={{ left: `${across(index)}%` }}
            >
              {new Date(at * 1_000).toLocaleTimeString()}
            </span>
          ) : null,
        )}
      </div>
    </div>
  );
}
