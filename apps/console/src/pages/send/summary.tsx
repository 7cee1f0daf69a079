import { amountText } from '@ledger-ops/client/text';
import type { Schemas } from '../../api/types.ts';

/** The amount that is sent. Its tooltip contains the exact number in the request. */
export function ExactAmount({ of, unit }: { of: string; unit: Schemas['CurrencyUnit'] }) {
  if (unit === null) return `${of} in the ledger’s smallest unit`;
  return (
    <strong className="font-semibold" title={`${of} in the ledger’s smallest unit`}>
      {amountText(of, unit)}
    </strong>
  );
}
