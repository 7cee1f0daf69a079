import { createClient } from '@ledger-ops/client';

const { env } = process;
const credentials = { clientId: `${env.APP}`, serviceAccount: `${env.ACCOUNT}`, apiToken: `${env.TOKEN}` };
const service = { baseUrl: `${env.URL}`, applicationToken: `${env.APP_TOKEN}` };
const ledger = createClient({ ...service, credentials });
const sender = { walletId: 'alice', walletPassword: `${env.PASSWORD}` };
const word = { name: '', type: 'uint256' } as const;
const whom = { name: '', type: 'address' } as const;
const abi = [
  { type: 'function', name: 'transfer', inputs: [whom, word], outputs: [], stateMutability: 'nonpayable' },
  { type: 'function', name: 'balanceOf', inputs: [whom], outputs: [word], stateMutability: 'view' },
] as const;

const deployed = await ledger.deploy({ ...sender, template: 'dev-token:1', args: ['Mine', 'MINE', 1_000n] });
await ledger.waitFor(deployed);
const token = ledger.contract({ contract: deployed.actionId, interface: abi, sender });
await ledger.waitFor(await token.transfer('0x00000000000000000000000000000000000000aa', 5n));
console.log(await token.balanceOf('0x00000000000000000000000000000000000000aa')); // 5n
