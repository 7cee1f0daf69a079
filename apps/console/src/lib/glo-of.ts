import type { ActionDetails, Schemas } from '../api/types.ts';

type Technology = Schemas['LedgerTechnologyDescription'];

interface Locator {
  readonly type?: string;
  readonly technology?: string;
  readonly resource?: string;
}

interface Stored {
  readonly recipient?: Locator;
  readonly contract?: Locator;
  readonly source?: Locator;
  readonly method?: { readonly name: string; readonly args: readonly string[] };
  readonly args?: readonly string[];
  readonly amount?: string;
  readonly value?: string;
  readonly native?: { readonly technology: string; readonly content: object };
}

/** Returns the parts of an accepted operation that forms show. */
export function storedOf({ operation }: Pick<ActionDetails, 'operation'>): Stored {
  return operation;
}

/**
 * Returns the operation as a request, to simulate it again. The stored operation contains no secrets, so if
 * the original had secrets, the request differs from it.
 * @param amountMember member of the native content that holds the currency sent with a call
 */
export function gloOf(
  action: Pick<ActionDetails, 'operation' | 'type'>,
  technology: Technology | undefined,
  amountMember: string | undefined,
): object {
  const { recipient, contract, source, method, args, amount, value, native } = storedOf(action);
  const options = {
    transfer: { recipient: locatorOf(recipient), amount },
    contract_call: {
      contract_instance: locatorOf(contract),
      method_name: method?.name,
      args: method?.args,
    },
    contract_deploy: { contract_source: locatorOf(source), args: args ?? [] },
  }[action.type ?? 'transfer'];
  const along =
    amountMember === undefined || value === undefined || value === '0' ? {} : { [amountMember]: value };
  const content = { ...native?.content, ...along };
  if (technology === undefined || Object.keys(content).length === 0) {
    return { version: '0.1.0', type: action.type, options };
  }
  const version = technology.content?.currentVersion ?? '1';
  const meta = { ledger: { [technology.name]: { version, native_transaction_content: content } } };
  return { version: '0.1.0', type: action.type, options, meta };
}

function locatorOf({ type, technology, resource }: Locator = {}): object {
  const value = type === 'ledger' ? technology : 'service';
  return { lookup_service: { type: type === 'ledger' ? 'ledger' : 'service', value }, resource };
}
