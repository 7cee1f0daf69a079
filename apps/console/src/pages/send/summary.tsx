import type { Schemas } from '../../api/types.ts';
import { amountText } from '../../lib/format.ts';

/** An amount as people read it, and the number that is sent. */
export function ExactAmount({ of, unit }: { of: string; unit: Schemas['CurrencyUnit'] }) {
  if (unit === null) return `${of} of the smallest unit`;
  return (
    <>
      <strong className="font-semibold">{amountText(of, unit)}</strong>
      <span className="block text-xs text-ink-3">{of} of the smallest unit</span>
    </>
  );
}
