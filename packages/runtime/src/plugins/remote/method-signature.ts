import { type AdapterDefinition, adapterError, type ResolvedOperation } from '@ledger-ops/adapter';

/**
 * Replaces the method's name with its signature, as the protocol requires if the host knows the contract's interface.
 * @throws AdapterError `unknown-method`, `ambiguous-method`
 */
export async function namedBySignature(
  operation: ResolvedOperation,
  readInterface: AdapterDefinition['readInterface'] | undefined,
): Promise<ResolvedOperation> {
  if (operation.type !== 'contract_call' || operation.method === undefined) return operation;
  const { contract, method } = operation;
  if (contract.interface === undefined || readInterface === undefined) return operation;
  const { methods } = await readInterface(contract.interface);
  const named = methods.filter(({ name, signature }) => name === method.name || signature === method.name);
  const fitting = named.filter(({ inputs }) => inputs.length === method.args.length);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) {
    return { ...operation, method: { ...method, name: only.signature } };
  }
  const known = named.map(({ signature }) => signature).join(', ');
  if (fitting.length > 1) {
    const detail = `The contract has several methods ${method.name} with ${method.args.length} arguments. Use the signature of one of them: ${known}.`;
    throw adapterError('ambiguous-method', detail, { phase: 'check' });
  }
  if (named.length > 0) {
    const detail = `expects other arguments: ${known}`;
    throw adapterError('invalid-argument', `/args ${detail}.`, {
      phase: 'check',
      issues: [{ pointer: '/args', detail }],
    });
  }
  throw adapterError('unknown-method', `The contract has no method ${method.name}.`, { phase: 'check' });
}
