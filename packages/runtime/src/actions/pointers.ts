/**
 * Where in a GLO a value stands that an adapter names: `/native/…` is ledger-specific content of meta,
 * everything else an option.
 */
export function adapterPointer(pointer: string, technology: string): string {
  const native = '/native';
  if (pointer === native || pointer.startsWith(`${native}/`)) {
    return `/meta/ledger/${technology}/native_transaction_content${pointer.slice(native.length)}`;
  }
  return `/options${pointer}`;
}
