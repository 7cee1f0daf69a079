import { describeStores } from '@ledger-ops/store/testing';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { address, reader } from '../../test/contract-reader.ts';
import { chaincodePackage } from '../../test/packages.ts';
import { technologies } from '../../test/technologies.ts';
import { createWorld, failure, timelineOf } from '../../test/world.ts';
import { createCompilations } from '../compile/compilations.ts';
import { createCompiler } from '../compile/compiler.ts';
import { stableNumber } from '../stable-number.ts';
import { createContractRegistry } from './contract-registry.ts';
import { createSmartContracts } from './smart-contracts.ts';
import type { SmartContractInput } from './types.ts';

const firstPage = { page: 0, size: 20, sort: [] };
const property = (name: string, value: unknown) => ({ type: { name }, value });
const solidity =
  '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract Box { uint256 public value; }';
const compiled = { interface: '[ ]', code: '0x6000', text: '{"abi":[],"bytecode":"0x6000"}' };

describeStores('the older contract registry', (open) => {
  async function start() {
    const store = await open();
    const world = await createWorld(store);
    const { auth, project, other } = world;
    let clock = 5_000;
    const now = () => {
      clock += 1;
      return clock;
    };
    const server = () =>
      createCompilations({
        store,
        compiler: createCompiler(),
        readInterface: (technology, text) => reader.readInterface({ technology, projectUid: '' }, text),
        now,
        timing: { lease: 60_000 },
      });
    const compilations = server();
    const context = { store, auth, now, reader, compilations, technologies };
    const contracts = createSmartContracts(context);
    await world.ledger({ ledgerId: 'main' });
    const me = await world.callerIn(project);
    const input: SmartContractInput = {
      contractInstanceID: 'box',
      ledgerID: 'main',
      properties: [property('address', address('AA')), property('abi', []), property('note', { a: 1 })],
      types: [{ name: 'ERC20' }, { name: 'ERC20' }],
    };
    return {
      ...world,
      server,
      compilations,
      contracts,
      current: createContractRegistry(context),
      me,
      stranger: await world.callerIn(other),
      viewer: await world.callerIn(project, 'viewer'),
      input,
      template: (id = 'boxes') => contracts.createTemplate(me, { contractTemplateID: id, name: id }),
    };
  }

  it('registers contracts in the shape of the interface, which the current registry sees, too', async () => {
    const { contracts, current, me, input, project } = await start();
    const made = await contracts.register(me, input);
    const scope = { id: 1, name: 'smart-contract-instance' };
    expect(made).toEqual({
      compilationDetails: null,
      compileVersion: null,
      contractInstanceID: 'box',
      contractSpecification: null,
      id: 1,
      ledgerID: 'main',
      name: 'box',
      properties: [
        { id: 1, type: { id: 2, name: 'address', scope }, value: address('aa') },
        { id: 2, type: { id: 3, name: 'abi', scope }, value: [] },
        { id: 3, type: { id: 4, name: 'note', scope }, value: { a: 1 } },
      ],
      resourceId: 'box',
      types: [{ id: 1, name: 'ERC20' }],
    });
    expect(await contracts.get(me, 'box')).toEqual(made);
    const groups = await current.listGroups(me, project.projectId, firstPage);
    expect(groups.items.map(({ name }) => name)).toEqual(['Older contract registry']);
    const { items } = await current.listContracts(me, groups.items[0]?.groupId ?? '', firstPage);
    expect(items.map(({ contractId, nativeReference }) => [contractId, nativeReference])).toEqual([
      ['box', address('aa')],
    ]);
  });

  it('lists contracts of a project, of both registries, in pages', async () => {
    const { contracts, current, me, stranger, input, project } = await start();
    await contracts.register(me, input);
    await contracts.register(me, { ...input, contractInstanceID: 'two', name: 'a' });
    const { groupId } = await current.createGroup(me, { name: 'g' });
    await current.createContract(me, {
      groupId,
      interface: '[]',
      ledgerReference: { ledgerId: 'main', nativeReference: address('bb') },
      name: 'c',
    });
    const names = async (principal: typeof me, query: object = {}) => {
      const all = { ...firstPage, project: project.projectId, ...query };
      const { items, total } = await contracts.list(principal, all);
      return [items.map(({ name }) => name).join(), total];
    };
    expect(await names(me)).toEqual(['box,a,c', 3]);
    expect(await names(me, { size: 2, page: 1, sort: [{ key: 'name', direction: 'asc' }] })).toEqual([
      'c',
      3,
    ]);
    expect(await names(me, { resourceId: 'two' })).toEqual(['a', 1]);
    expect(await names(stranger)).toEqual(['', 0]);
    expect(await names(me, { project: 'none' })).toEqual(['', 0]);
  });

  it('says what is missing or wrong, and where', async () => {
    const { contracts, me, viewer, stranger, input } = await start();
    await contracts.register(me, input);
    expect(await failure(contracts.register(me, input))).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/contractInstanceID' }],
    });
    const refused: [Partial<SmartContractInput>, string][] = [
      [{ ledgerID: 'none' }, '/ledgerID'],
      [{ properties: [property('abi', [])] }, '/properties'],
      [{ properties: [property('address', address('aa'))] }, '/contractSpecification'],
      [{ properties: [property('abi', []), property('address', 'x')] }, '/properties/1/value'],
      [{ properties: [property('abi', '['), property('address', address('aa'))] }, '/properties/0/value'],
      [{ properties: [property('a b', 1)] }, '/properties/0/type/name'],
      [{ properties: [property('a', undefined)] }, '/properties/0/value'],
      [{ properties: [property('a', 1), property('a', 2)] }, '/properties/1/type/name'],
      [{ types: [{ name: '' }] }, '/types/0/name'],
      [{ contractInstanceID: 'a/b' }, '/contractInstanceID'],
      [{ contractSpecification: 99 }, '/contractSpecification'],
      [{ contractSpecification: {} }, '/contractSpecification'],
    ];
    for (const [change, pointer] of refused) {
      expect(await failure(contracts.register(me, { ...input, ...change }))).toMatchObject({
        errors: [{ pointer }],
      });
    }
    expect(await failure(contracts.register(viewer, input))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(contracts.get(stranger, 'box'))).toMatchObject({ problem: 'not-found' });
    expect(await failure(contracts.updateProperties(viewer, 'box', []))).toMatchObject({
      problem: 'not-permitted',
    });
  });

  it('replaces properties, all but the address', async () => {
    const { contracts, me, input, store } = await start();
    await contracts.register(me, input);
    const changed = await contracts.updateProperties(me, 'box', [property('note', 'x')]);
    expect(changed.properties.map(({ type, value }) => [type.name, value])).toEqual([
      ['note', 'x'],
      ['address', address('aa')],
    ]);
    expect(
      await failure(contracts.updateProperties(me, 'box', [property('address', address('bb'))])),
    ).toMatchObject({ errors: [{ pointer: '/properties/0/value' }] });
    const actions = (await timelineOf(store).byResource(me, 'box')).map(({ action }) => action);
    expect(actions).toEqual(['create', 'update-properties']);
  });

  it('stores compiled versions, and registers contracts that were made from them', async () => {
    const { contracts, me, input, template } = await start();
    const parent = await template();
    expect(parent).toEqual({
      contractTemplateID: 'boxes',
      description: null,
      id: 1,
      name: 'boxes',
      resourceId: 'boxes',
    });
    const version = await contracts.createSpecification(me, 'boxes', { tag: '1.0', compiled });
    expect(version).toMatchObject({
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      compilationSpecification: compiled.text,
      compilationStatus: 'COMPILED',
      contractTemplate: parent,
      hasPreprocessing: false,
      ledgerTechnology: { id: stableNumber('ethereum'), ledgerTechnologyID: 'ethereum' },
      preCompilationSpecification: null,
      tag: '1.0',
      compilationMessages: [],
    });
    expect(await contracts.specification(me, 'boxes', '1.0')).toEqual(version);
    expect(await contracts.listSpecifications(me, 'boxes')).toEqual([version]);
    const reference = { tag: '1.0', contractTemplate: { contractTemplateID: 'boxes' } };
    const made = await contracts.register(me, {
      ...input,
      contractSpecification: reference,
      properties: [property('address', address('aa'))],
    });
    expect(made.contractSpecification).toEqual({ ...version, compilationSpecification: null });
    expect(JSON.parse(made.compilationDetails ?? '')).toMatchObject({ checksum: version.checksum });
    const byNumber = { ...input, contractInstanceID: 'two', contractSpecification: version.id };
    expect((await contracts.register(me, byNumber)).contractSpecification?.tag).toBe('1.0');
  });

  it('refuses versions and templates that are malformed, foreign or there already', async () => {
    const { contracts, me, viewer, stranger, template, project } = await start();
    await template();
    await contracts.createSpecification(me, 'boxes', { tag: '1', compiled });
    const refused: [object, string][] = [
      [{ tag: '1', compiled }, '/tag'],
      [{ tag: 'a:b', compiled }, '/tag'],
      [{ tag: '2' }, '/compilationSpecification'],
      [{ tag: '2', compiled, preCompilationSpecification: solidity }, '/compilationSpecification'],
      [{ tag: '2', compiled: { ...compiled, code: '0x__$aa$__' } }, '/compilationSpecification/bytecode'],
      [{ tag: '2', compiled: { ...compiled, interface: '[' } }, '/compilationSpecification/abi'],
      [{ tag: '2', preCompilationSpecification: '{' }, '/preCompilationSpecification'],
      [
        { tag: '2', preCompilationSpecification: solidity, targetCompilationVersion: '0.4.11' },
        '/targetCompilationVersion',
      ],
      [
        { tag: '2', preCompilationSpecification: solidity, compilationLanguage: 'Go' },
        '/compilationLanguage',
      ],
      [
        { tag: '2', compiled, ledgerTechnology: { ledgerTechnologyID: 'hyperledger-fabric' } },
        '/compilationSpecification/package',
      ],
    ];
    for (const [input, pointer] of refused) {
      const version = { tag: '2', ...input };
      expect(await failure(contracts.createSpecification(me, 'boxes', version))).toMatchObject({
        errors: [{ pointer }],
      });
    }
    expect(await failure(template())).toMatchObject({ errors: [{ pointer: '/contractTemplateID' }] });
    expect(await failure(contracts.createTemplate(viewer, { name: 'x' }))).toMatchObject({
      problem: 'not-permitted',
    });
    const version = { tag: '3', compiled };
    expect(await failure(contracts.createSpecification(viewer, 'boxes', version))).toMatchObject({
      problem: 'not-permitted',
    });
    expect(await failure(contracts.template(stranger, 'boxes'))).toMatchObject({ problem: 'not-found' });
    expect(await failure(contracts.specification(me, 'boxes', 'none'))).toMatchObject({
      problem: 'not-found',
    });
    const query = { ...firstPage, project: project.projectId };
    expect((await contracts.listTemplates(me, query)).total).toBe(1);
    expect((await contracts.listTemplates(me, { ...query, resourceId: 'none' })).total).toBe(0);
    expect((await contracts.listTemplates(stranger, query)).total).toBe(0);
  });

  it('compiles sources: PENDING at first, then COMPILED or FAILED with what the compiler said', async () => {
    const { contracts, compilations, me, input, template, store } = await start();
    await template();
    const sources = { tag: '1', preCompilationSpecification: solidity };
    const pending = await contracts.createSpecification(me, 'boxes', sources);
    expect(pending).toMatchObject({
      compilationStatus: 'PENDING',
      compilationSpecification: null,
      hasPreprocessing: true,
      compilationLanguage: 'Solidity',
      checksum: '',
    });
    expect(
      await failure(contracts.register(me, { ...input, contractSpecification: pending.id })),
    ).toMatchObject({ problem: 'conflict' });
    compilations.start();
    await contracts.createSpecification(me, 'boxes', {
      tag: '2',
      preCompilationSpecification: solidity.replace('uint256', 'nothing'),
    });
    await compilations.idle();
    const done = await contracts.specification(me, 'boxes', '1');
    expect(await contracts.constructorInputs(me, 'boxes', '1')).toEqual([]);
    expect(await contracts.constructorInputs(me, 'boxes', '2')).toBeNull();
    expect(await failure(contracts.constructorInputs(me, 'boxes', '3'))).toMatchObject({
      problem: 'not-found',
    });
    expect(done).toMatchObject({
      compilationStatus: 'COMPILED',
      targetCompilationVersion: expect.stringContaining('0.8.'),
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      compilationMessages: [],
    });
    expect(JSON.parse(done.compilationSpecification ?? '')).toMatchObject({
      contract: 'Contract.sol:Box',
      abi: [{ name: 'value' }],
      bytecode: expect.stringMatching(/^0x60/),
    });
    expect(await contracts.specification(me, 'boxes', '2')).toMatchObject({
      compilationStatus: 'FAILED',
      compilationMessages: [{ severity: 'error', file: 'Contract.sol', line: 3 }],
    });
    expect(await contracts.register(me, { ...input, contractSpecification: pending.id })).toMatchObject({
      contractSpecification: { compilationStatus: 'COMPILED' },
    });
    const records = await timelineOf(store).byResource(me, 'boxes');
    const lines = records.map(
      ({ action, targetObject, identity }) => `${action} ${targetObject} ${identity}`,
    );
    expect(lines.toSorted()).toEqual(
      [
        `create boxes ${me.serviceId}`,
        `create-version 1 ${me.serviceId}`,
        `create-version 2 ${me.serviceId}`,
        // By the service itself.
        'compiled 1 ',
        'compilation-failed 2 ',
      ].toSorted(),
    );
    await compilations.close();
  }, 180_000);

  it('takes up what a server left behind, at once after a clean end, after the lease else', async () => {
    const { contracts, compilations, server, me, template, store } = await start();
    await template();
    const sources = { tag: '1', preCompilationSpecification: solidity };
    const { id } = await contracts.createSpecification(me, 'boxes', sources);
    const row = async () => {
      const { specification } = store.read.t;
      const [found] = await store.read.db.select().from(specification).where(eq(specification.id, id));
      return found;
    };
    // Ends while it compiles.
    compilations.start();
    await compilations.close();
    expect(await row()).toMatchObject({ status: 'PENDING' });
    // A server that was killed holds the lease, and does no more.
    await store.transaction((tx) => {
      const { specification } = tx.t;
      return tx.db.update(specification).set({ dueAt: Date.now() + 60_000, attempts: 1 });
    });
    const early = server();
    early.start();
    await early.idle();
    expect(await row()).toMatchObject({ status: 'PENDING', attempts: 1 });
    await early.close();
    await store.transaction((tx) => tx.db.update(tx.t.specification).set({ dueAt: 0 }));
    const late = [server(), server()];
    for (const one of late) one.start();
    for (const one of late) await one.idle();
    expect(await row()).toMatchObject({ status: 'COMPILED', attempts: 2 });
    for (const one of late) await one.close();
  }, 180_000);

  it('gives up on sources that took servers down three times', async () => {
    const { contracts, compilations, me, template, store } = await start();
    await template();
    await contracts.createSpecification(me, 'boxes', { tag: '1', preCompilationSpecification: solidity });
    await store.transaction((tx) => tx.db.update(tx.t.specification).set({ attempts: 3 }));
    compilations.start();
    await compilations.idle();
    expect(await contracts.specification(me, 'boxes', '1')).toMatchObject({
      compilationStatus: 'FAILED',
      compilationMessages: [{ severity: 'error', message: expect.stringContaining('broken off 3 times') }],
    });
    await compilations.close();
  });

  it('registers tokens on contracts of the project, which then stay', async () => {
    const { contracts, current, me, viewer, stranger, input, store } = await start();
    const contract = await contracts.register(me, input);
    const token = {
      tokenID: 'coin',
      name: 'Coin',
      ticker: 'CN',
      contractInstance: { contractInstanceID: 'box' },
    };
    const made = await contracts.registerToken(me, token);
    expect(made).toEqual({
      contractInstance: contract,
      id: 1,
      name: 'Coin',
      resourceId: 'coin',
      ticker: 'CN',
      tokenID: 'coin',
    });
    expect(await failure(contracts.registerToken(me, token))).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/tokenID' }],
    });
    expect(await failure(contracts.registerToken(viewer, token))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(contracts.registerToken(stranger, token))).toMatchObject({
      problem: 'not-found',
      errors: [{ pointer: '/contractInstance/contractInstanceID' }],
    });
    expect(await failure(contracts.registerToken(me, { ...token, ticker: 'a b' }))).toMatchObject({
      errors: [{ pointer: '/ticker' }],
    });
    const [group] = await store.read.db.select().from(store.read.t.contractGroup);
    expect(await failure(current.deleteContract(me, group?.groupId ?? '', 'box'))).toMatchObject({
      problem: 'in-use',
      extensions: { usedBy: ['1 token'] },
    });
  });

  it('keeps answers for Idempotency-Keys', async () => {
    const { contracts, me, input, store } = await start();
    const claim = { scope: 's', key: 'k', fingerprint: 'f' };
    const made = await contracts.register(me, input, claim);
    const [row] = await store.read.db.select().from(store.read.t.idempotency);
    expect(JSON.parse(row?.body ?? '')).toEqual(made);
    const template = contracts.createTemplate(me, { name: 't' }, claim);
    expect(await failure(template)).toMatchObject({ problem: 'conflict' });
  });

  it('makes the group of the older registry once, also when two need it at once', async () => {
    const { contracts, me, input, store } = await start();
    await Promise.all(
      ['a', 'b', 'c'].map((contractInstanceID) => contracts.register(me, { ...input, contractInstanceID })),
    );
    expect(await store.read.db.select().from(store.read.t.contractGroup)).toHaveLength(1);
  });

  it('takes a chaincode package as a version for Fabric, ready at once', async () => {
    const { contracts, me, template, registry, project } = await start();
    await template('basics');
    const ledgerTechnology = { ledgerTechnologyID: 'hyperledger-fabric' };
    const code = await chaincodePackage();
    const specify = (tag: string, interfaceText: string, packed = code) =>
      contracts.createSpecification(me, 'basics', {
        ...{ tag, ledgerTechnology },
        compiled: { interface: interfaceText, code: packed, text: '' },
      });
    const version = await specify('1.0', '');
    expect(version).toMatchObject({ compilationStatus: 'COMPILED', compilationLanguage: 'ccaas' });
    expect(JSON.parse(version.compilationSpecification ?? '')).toEqual({
      label: 'basic_1.0',
      type: 'ccaas',
      packageId: expect.stringMatching(/^basic_1\.0:[0-9a-f]{64}$/),
    });
    await specify('1.1', '{ "contracts": {} }');
    const { uid } = (await registry.template(project.uid, 'basics')) ?? { uid: '' };
    expect(await registry.specification(uid, '1.0')).toMatchObject({ code, interface: '' });
    expect(await registry.specification(uid, '1.1')).toMatchObject({ code, interface: '{"contracts":{}}' });
    expect(await failure(specify('2.0', '', 'AAAA'))).toMatchObject({
      errors: [{ pointer: '/compilationSpecification/package' }],
    });
    expect(await failure(specify('2.0', '{'))).toMatchObject({
      errors: [{ pointer: '/compilationSpecification/interface' }],
    });
    expect(await contracts.codeForm(me, 'basics', { ledgerTechnology })).toBe('package');
    expect(await contracts.codeForm(me, 'basics', {})).toBe('bytecode');
    const sources = { tag: '2.0', ledgerTechnology, preCompilationSpecification: solidity };
    expect(await failure(contracts.createSpecification(me, 'basics', sources))).toMatchObject({
      errors: [{ pointer: '/ledgerTechnology/ledgerTechnologyID' }],
    });
  });
});
