import { z } from 'zod';
import type { DevFile } from '../dev-file.ts';
import { callGlo, transferGlo } from '../samples.ts';
import type { PluginTechnology } from './records.ts';

type DevWallet = DevFile['wallets'][number];

const withExamples = z.object({ examples: z.array(z.unknown()).optional() });
const byOperation = z.object({ contract_call: withExamples });

/** A first operation of a wallet: a transfer to the other, or else a call; null where the plugin has neither. */
export function firstOperation(
  { name, capabilities: { operations }, addresses, content }: PluginTechnology,
  to: DevWallet,
): { what: string; glo: object } | null {
  if (operations.includes('transfer'))
    return { what: `transfer of 1 to ${to.walletId}`, glo: transferGlo(to, '1') };
  const address = addresses?.contract?.example;
  if (!operations.includes('contract_call') || address === undefined) return null;
  const native = exampleOfCall(content?.schema);
  const glo = callGlo(name, address, 'example', []);
  const meta = { ledger: { [name]: { version: '1', native_transaction_content: native } } };
  return { what: `call of ${address}`, glo: native === undefined ? glo : { ...glo, meta } };
}

/** The first example of native content of a call. */
function exampleOfCall(schema: unknown): unknown {
  const own = byOperation.safeParse(schema).data?.contract_call ?? withExamples.safeParse(schema).data;
  return own?.examples?.[0];
}
