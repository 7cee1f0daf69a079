import type { ContractLocator, Effective, Glo, LedgerLocator, NativeContent, Override } from './types.ts';

/** The effective operation on an Ethereum ledger. */
export function ethereumOperation(glo: Glo): Effective {
  const { to, data, value, ...rest } = glo.meta?.ethereum?.content ?? {};
  const native: NativeContent = { technology: 'ethereum', ...rest };
  const overrides: Override[] = [];
  switch (glo.type) {
    case 'transfer': {
      const recipient = replace(glo.options.recipient, to, 'recipient', overrides);
      const amount = value ?? glo.options.amount;
      if (amount !== glo.options.amount) {
        overrides.push({ field: 'amount', from: glo.options.amount.toString(), to: amount.toString() });
      }
      // Empty data is what a transfer has anyway.
      if (data === undefined || data === '0x') {
        return { operation: { type: 'transfer', recipient, amount, native }, overrides };
      }
      overrides.push({ field: 'data', from: null, to: data });
      return { operation: { type: 'transfer', recipient, amount, data, native }, overrides };
    }
    case 'contract_call': {
      const { contractInstance, methodName, args } = glo.options;
      const contract = replace(contractInstance, to, 'contract_instance', overrides);
      const what = data === undefined ? { method: { name: methodName, args } } : { data };
      if (data !== undefined) overrides.push(...replaced('method_name', methodName, args, data));
      const sent = sentValue(value, overrides);
      return { operation: { type: 'contract_call', contract, ...what, value: sent, native }, overrides };
    }
    case 'contract_deploy': {
      const { contractSource: source, args } = glo.options;
      const what = data === undefined ? { source, args } : { args: [], data };
      if (data !== undefined) overrides.push(...replaced('contract_source', source.resource, args, data));
      const sent = sentValue(value, overrides);
      return { operation: { type: 'contract_deploy', ...what, value: sent, native }, overrides };
    }
  }
}

function replace<L extends ContractLocator>(
  locator: L,
  to: string | undefined,
  field: string,
  overrides: Override[],
): L | LedgerLocator {
  // A service id that reads like the address may still be another account, so it never counts as equal.
  if (to === undefined || (locator.type !== 'service' && sameAddress(locator.resource, to))) return locator;
  overrides.push({ field, from: locator.resource, to });
  return { type: 'ledger', technology: 'ethereum', resource: to };
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function replaced(field: string, from: string, args: string[], data: string): Override[] {
  const override = { field, from, to: data };
  return args.length === 0 ? [override] : [override, { field: 'args', from: args, to: data }];
}

function sentValue(value: bigint | undefined, overrides: Override[]): bigint {
  if (value === undefined || value === 0n) return 0n;
  overrides.push({ field: 'value', from: null, to: value.toString() });
  return value;
}
