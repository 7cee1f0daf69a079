import { amountText } from '@ledger-ops/client/text';
import type { Schemas } from '../../api/types.ts';

/** The amount that is sent. Its tooltip has the exact number in the request. */
export function ExactAmount({ of, unit }: { of: string; unit: Schemas['CurrencyUnit'] }) {
  if (unit === null) return `${of} of the smallest unit`;
  return (
    <strong className="font-semibold" title={`${of} of the smallest unit`}>
      {amountText(of, unit)}
    </strong>
  );
}
