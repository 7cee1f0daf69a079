import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './button.tsx';

/** Page navigation below a list. Pages are numbered from 1. */
export function Paging({
  page,
  size,
  total,
  choose,
}: {
  page: number;
  /** Rows on a full page. */
  size: number;
  /** Rows on all pages; undefined if unknown. */
  total: number | undefined;
  choose: (page: number) => void;
}) {
  if (total === undefined || (page === 1 && total <= size)) return null;
  const first = (page - 1) * size;
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-5 py-3"
    >
      <p className="text-sm text-ink-2">
        {Math.min(first + 1, total).toLocaleString()} to {Math.min(first + size, total).toLocaleString()} of{' '}
        {total.toLocaleString()}
      </p>
      <span className="flex gap-2">
        <Button disabled={page === 1} onClick={() => choose(page - 1)}>
          <ChevronLeft aria-hidden="true" className="size-4" /> Back
        </Button>
        <Button disabled={first + size >= total} onClick={() => choose(page + 1)}>
          Next <ChevronRight aria-hidden="true" className="size-4" />
        </Button>
      </span>
    </nav>
  );
}
