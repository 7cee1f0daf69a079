// From Solidity to a token that is deployed, registered and moved, by HTTP calls alone.
//
//   npm start                                       # in one terminal
//   node examples/token-from-source/index.mjs      # in another; takes the path of dev.json
//
// Prints what it does, and at its end a line of JSON with the ids and addresses that came of it.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";

contract Token is ERC20, ERC20Burnable {
    constructor(string memory name, string memory symbol, uint256 supply) ERC20(name, symbol) {
        _mint(msg.sender, supply);
    }
}
`;

const dev = JSON.parse(await readFile(process.argv[2] ?? 'data/dev.json', 'utf8'));
const [alice, bob] = dev.wallets;
const templateId = `token-${randomBytes(4).toString('hex')}`;
const contractId = `${templateId}-1`;
const service = (resource) => ({ lookup_service: { type: 'service', value: 'service' }, resource });

const { access_token } = await (
  await fetch(`${dev.baseUrl}/v1/auth/token`, {
    method: 'POST',
    headers: { ApplicationToken: dev.applicationToken },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: dev.clientId,
      service_account: dev.serviceAccount,
      client_secret: dev.clientSecret,
    }),
  })
).json();

/** Calls the service; ends with what it says when it refuses. */
async function call(method, path, body) {
  const response = await fetch(dev.baseUrl + path, {
    method,
    headers: {
      ApplicationToken: dev.applicationToken,
      Authorization: `Bearer ${access_token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail}`);
  return answer;
}

/** Asks again until the answer is final. */
async function until(isFinal, ask) {
  for (let patience = 600; patience > 0; patience -= 1) {
    const answer = await ask();
    if (isFinal(answer)) return answer;
    await wait(100);
  }
  throw new Error('Still nothing after a minute.');
}

async function succeeded(actionId) {
  const action = await until(
    ({ status }) => status !== 'PENDING',
    () => call('GET', `/v1/ledger-ops/search/actions/${actionId}`),
  );
  if (action.status !== 'SUCCEEDED') throw new Error(`${actionId}: ${action.problem.detail}`);
  return action;
}

const templates = '/v1/contract-templates';
await call('POST', templates, { templateId, name: 'Token' });
await call('POST', `${templates}/${templateId}/versions`, { version: '1', code: source });
const version = await until(
  ({ status }) => status !== 'PENDING',
  () => call('GET', `${templates}/${templateId}/versions/1`),
);
for (const { severity, file, line, message } of version.messages) {
  console.log(`${severity} ${file}:${line} ${message}`);
}
if (version.status !== 'COMPILED') throw new Error('The source does not compile.');
console.log(`compiled by ${version.compilerVersion}: ${templateId}:1, checksum ${version.checksum}`);

const deployment = await call('POST', '/v1/ledger-ops/send', {
  ...{ walletId: alice.walletId, walletPassword: alice.walletPassword },
  registration: { contractId, name: 'My Token' },
  glo: {
    version: '0.1.0',
    type: 'contract_deploy',
    options: {
      contract_source: service(`${templateId}:1`),
      args: ['My Token', 'MINE', '1000000'],
    },
  },
});
const { contractAddress: address } = await succeeded(deployment.actionId);
console.log(`deployed at ${address}, registered as ${contractId}`);

const { actionId } = await call('POST', '/v1/ledger-ops/send', {
  ...{ walletId: alice.walletId, walletPassword: alice.walletPassword },
  glo: {
    version: '0.1.0',
    type: 'contract_call',
    options: {
      contract_instance: service(contractId),
      method_name: 'transfer',
      args: [bob.walletAddress, '42'],
    },
  },
});
const { locator } = await succeeded(actionId);
const { groupId } = await call('GET', `/v1/contracts/${contractId}`);
const methods = `/v1/contract-groups/${groupId}/instances/${contractId}/methods`;
const { result: balance } = await call('POST', `${methods}/balanceOf`, { arguments: [bob.walletAddress] });
console.log(`transferred in ${locator}: ${bob.walletId} holds ${balance}`);
console.log(JSON.stringify({ templateId, contractId, address, locator, balance }));
