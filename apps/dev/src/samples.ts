import type { DevFile } from './dev-file.ts';

type DevWallet = DevFile['wallets'][number];

const service = { type: 'service', value: 'service' };
const version = '0.1.0';

/** Body of `POST /v1/ledger-ops/send`: an operation (GLO) of a wallet. */
export function sendBody({ walletId, walletPassword }: DevWallet, glo: object): Record<string, unknown> {
  return { walletId, walletPassword, glo };
}

/** Returns a transfer of native currency, in its smallest unit, to a wallet of the service. */
export function transferGlo({ walletId }: DevWallet, amount: string) {
  const recipient = { lookup_service: service, resource: walletId };
  return { version, type: 'transfer', options: { recipient, amount } };
}

/** Returns a deployment of a token template on Ethereum. */
export function deployGlo(
  template: DevFile['templates'][number],
  args: readonly string[] = ['Token', 'TOK', '1000000'],
) {
  const resource = `${template.templateId}:${template.version}`;
  const contract_source = { lookup_service: service, resource };
  return { version, type: 'contract_deploy', options: { contract_source, args } };
}

/** Returns a call to a registered contract, by its id. */
export function registeredCallGlo(resource: string, method_name: string, args: readonly string[]) {
  const contract_instance = { lookup_service: service, resource };
  return { version, type: 'contract_call', options: { contract_instance, method_name, args } };
}

/** Returns a call to a contract by its address on the ledger: an address, or `channel/chaincode`. */
export function callGlo(technology: string, resource: string, method_name: string, args: readonly string[]) {
  const contract_instance = { lookup_service: { type: 'ledger', value: technology }, resource };
  return { version, type: 'contract_call', options: { contract_instance, method_name, args } };
}
