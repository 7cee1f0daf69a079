/** Four strokes and the one across: a tally, complete. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 64 64" width={size} height={size} aria-hidden="true" focusable="false">
      <rect width="64" height="64" rx="14" fill="#0c3b2e" />
      <g fill="none" strokeLinecap="round" strokeWidth="5.5">
        <path stroke="#f4f1e8" d="M17 15v34M27 15v34M37 15v34M47 15v34" />
        <path stroke="#0c3b2e" strokeWidth="11" d="M10 43 54 21" />
        <path stroke="#f0b24a" d="M10 43 54 21" />
      </g>
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2.5">
      <Mark />
      <span className="text-[1.15rem] font-semibold tracking-tight text-ink">Tally</span>
    </span>
  );
}
