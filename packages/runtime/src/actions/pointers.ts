const options = new Set([
  'recipient',
  'amount',
  'contract_instance',
  'contract_source',
  'method_name',
  'args',
]);

/**
 * Translates an adapter's pointer to a pointer into the GLO. `/native/…` becomes the ledger-specific content
 * of meta, and the interface of a contract or source becomes its `resource`. Pointers to values that are not
 * in the GLO, such as the wallet, become pointers to the whole GLO.
 */
export function adapterPointer(pointer: string, technology: string): string {
  const [, first = '', second] = pointer.split('/');
  if (first === 'native') {
    return `/meta/ledger/${technology}/native_transaction_content${pointer.slice('/native'.length)}`;
  }
  // Remote plugins return pointers into the document that they received.
  if (first === 'glo' && (second === 'options' || second === 'meta')) return pointer.slice('/glo'.length);
  if (!options.has(first)) return '';
  return second === 'interface' ? `/options/${first}/resource` : `/options${pointer}`;
}
