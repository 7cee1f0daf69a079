/** The logo: four strokes and one across, a complete tally. */
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
      <Mark size={30} />
      <span className="leading-tight text-ink">
        <span className="block text-[0.9375rem] font-semibold tracking-tight">Ledger Operations</span>{' '}
        <span className="block text-xs text-ink-2">Console</span>
      </span>
    </span>
  );
}
