/** Members of a GLO's options. */
const options = new Set([
  'recipient',
  'amount',
  'contract_instance',
  'contract_source',
  'method_name',
  'args',
]);

/**
 * Where in a GLO a value stands that an adapter names: `/native/…` is ledger-specific content of meta, and the interface
 * of a contract or source belongs to the record that `resource` names. What a GLO does not have, such as the wallet, is
 * told of the GLO as a whole.
 */
export function adapterPointer(pointer: string, technology: string): string {
  const [, first = '', second] = pointer.split('/');
  if (first === 'native') {
    return `/meta/ledger/${technology}/native_transaction_content${pointer.slice('/native'.length)}`;
  }
  // A remote plugin points into the document that it was sent.
  if (first === 'glo' && (second === 'options' || second === 'meta')) return pointer.slice('/glo'.length);
  if (!options.has(first)) return '';
  return second === 'interface' ? `/options/${first}/resource` : `/options${pointer}`;
}
