const options = new Set([
  'recipient',
  'amount',
  'contract_instance',
  'contract_source',
  'method_name',
  'args',
]);

/**
 * Translates an adapter's pointer to a pointer into the GLO. `/native/…` becomes a pointer to the ledger-specific
 * content of meta, and a pointer to the interface of a contract or source becomes one to its `resource`. A pointer to a
 * value that is not in the GLO, such as the wallet, becomes a pointer to the whole GLO.
 */
export function adapterPointer(pointer: string, technology: string): string {
  const [, first = '', second] = pointer.split('/');
  if (first === 'native') {
    return `/meta/ledger/${technology}/native_transaction_content${pointer.slice('/native'.length)}`;
  }
  // Remote plugins receive a document with `glo` as a member, so their pointers start with it.
  if (first === 'glo' && (second === 'options' || second === 'meta')) return pointer.slice('/glo'.length);
  if (!options.has(first)) return '';
  return second === 'interface' ? `/options/${first}/resource` : `/options${pointer}`;
}
