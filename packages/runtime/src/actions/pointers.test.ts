import { expect, test } from 'vitest';
import { adapterPointer } from './pointers.ts';

test.each([
  ['/args/0', '/options/args/0'],
  ['/method_name', '/options/method_name'],
  ['/recipient/resource', '/options/recipient/resource'],
  ['/contract_instance/interface/3', '/options/contract_instance/resource'],
  ['/contract_source/interface', '/options/contract_source/resource'],
  ['/native', '/meta/ledger/ethereum/native_transaction_content'],
  ['/native/gasLimit', '/meta/ledger/ethereum/native_transaction_content/gasLimit'],
  ['/glo/meta/ledger/ethereum', '/meta/ledger/ethereum'],
  ['/glo/options/args/1', '/options/args/1'],
  ['/wallet/address', ''],
  ['/pluginParams/walletPassword', ''],
  ['', ''],
])('maps the adapter’s pointer "%s" to the pointer "%s" in the GLO', (pointer, place) => {
  expect(adapterPointer(pointer, 'ethereum')).toBe(place);
});
