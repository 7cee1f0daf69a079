import { describeStores } from '@ledger-ops/store/testing';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { address, reader } from '../../test/contract-reader.ts';
import { chaincodePackage } from '../../test/packages.ts';
import { technologies } from '../../test/technologies.ts';
import { createWorld, failure, timelineOf } from '../../test/world.ts';
import { Compilations } from '../compile/compilations.ts';
import { createCompiler } from '../compile/compiler.ts';
import { ContractRegistry } from './contract-registry.ts';
import { SmartContracts } from './smart-contracts.ts';
import { ContractTemplates } from './template-service.ts';
import type { SmartContractInput } from './types.ts';

const firstPage = { page: 0, size: 20, sort: [] };
const solidity =
  '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract Box { uint256 public value; }';
const compiled = { interface: '[ ]', code: '0x6000', text: '{"abi":[ ],"bytecode":"0x6000"}' };

describeStores('contracts of the deprecated operations', (open) => {
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
      new Compilations({
        store,
        compiler: createCompiler(),
        readInterface: (technology, text) => reader.readInterface({ technology, projectUid: '' }, text),
        now,
        timing: { lease: 60_000 },
      });
    const compilations = server();
    const context = { store, auth, now, reader, compilations, technologies };
    const contracts = new SmartContracts(context);
    const templates = new ContractTemplates(context);
    await world.ledger({ ledgerId: 'main' });
    const me = await world.callerIn(project);
    const input: SmartContractInput = {
      contractId: 'box',
      ledgerId: 'main',
      properties: { address: address('AA'), abi: [], note: { a: 1 } },
      types: ['ERC20', 'ERC20'],
    };
    return {
      ...world,
      server,
      compilations,
      contracts,
      templates: templates,
      current: new ContractRegistry(context),
      me,
      stranger: await world.callerIn(other),
      viewer: await world.callerIn(project, 'viewer'),
      input,
      template: (id = 'boxes') => templates.createTemplate(me, { templateId: id, name: id }),
    };
  }

  it('a contract registered by a deprecated operation is also listed by the current operations', async () => {
    const { contracts, current, me, input, project } = await start();
    const made = await contracts.register(me, input);
    expect(made).toEqual({
      id: 1,
      contractId: 'box',
      ledgerId: 'main',
      name: 'box',
      specification: null,
      properties: [
        { id: 1, typeId: 2, name: 'address', value: address('aa') },
        { id: 2, typeId: 3, name: 'abi', value: [] },
        { id: 3, typeId: 4, name: 'note', value: { a: 1 } },
      ],
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

  it("lists a project's contracts that were registered by deprecated and by current operations, in pages", async () => {
    const { contracts, current, me, stranger, input, project } = await start();
    await contracts.register(me, input);
    await contracts.register(me, { ...input, contractId: 'two', name: 'a' });
    const { groupId } = await current.createGroup(me, { name: 'g' });
    await current.createContract(me, {
      groupId,
      interface: '[]',
      ledgerReference: { ledgerId: 'main', nativeReference: address('bb') },
      name: 'c',
    });
    const names = async (principal: typeof me, query: object = {}) => {
      const all = { ...firstPage, projectId: project.projectId, ...query };
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
    expect(await names(me, { projectId: 'none' })).toEqual(['', 0]);
  });

  it('rejects invalid contracts with the pointer of each missing or wrong member', async () => {
    const { contracts, me, viewer, stranger, input } = await start();
    await contracts.register(me, input);
    expect(await failure(contracts.register(me, input))).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/contractId' }],
    });
    const refused: [Partial<SmartContractInput>, string][] = [
      [{ ledgerId: 'none' }, '/ledgerId'],
      [{ properties: { abi: [] } }, '/properties'],
      [{ properties: { address: address('aa') } }, '/specification'],
      [{ properties: { abi: [], address: 'x' } }, '/properties/address'],
      [{ properties: { abi: '[', address: address('aa') } }, '/properties/abi'],
      [{ properties: { 'a b': 1 } }, '/properties/a b'],
      [{ properties: { a: undefined } }, '/properties/a'],
      [{ types: [''] }, '/types/0'],
      [{ contractId: 'a/b' }, '/contractId'],
      [{ specification: { id: 99 } }, '/specification'],
    ];
    for (const [change, pointer] of refused) {
      expect(await failure(contracts.register(me, { ...input, ...change }))).toMatchObject({
        errors: [{ pointer }],
      });
    }
    expect(await failure(contracts.register(viewer, input))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(contracts.get(stranger, 'box'))).toMatchObject({ problem: 'not-found' });
    expect(await failure(contracts.updateProperties(viewer, 'box', {}))).toMatchObject({
      problem: 'not-permitted',
    });
  });

  it('replaces all properties of a contract except its address', async () => {
    const { contracts, me, input, store } = await start();
    await contracts.register(me, input);
    const changed = await contracts.updateProperties(me, 'box', { note: 'x' });
    expect(changed.properties.map(({ name, value }) => [name, value])).toEqual([
      ['note', 'x'],
      ['address', address('aa')],
    ]);
    expect(await failure(contracts.updateProperties(me, 'box', { address: address('bb') }))).toMatchObject({
      errors: [{ pointer: '/properties/address' }],
    });
    const actions = (await timelineOf(store).byResource(me, 'box')).map(({ action }) => action);
    expect(actions).toEqual(['create', 'update-properties']);
  });

  it('lists all versions of a template, with at most 32 MiB of sources and compiled output, the newest first', async () => {
    const { templates, me, store, template } = await start();
    await template();
    for (const version of ['1', '2', '3', '4'])
      await templates.createSpecification(me, 'boxes', { version, compiled });
    const source = 'x'.repeat(10 * 1_048_576);
    await store.transaction((tx) => tx.run('UPDATE specification SET source = $1', [source]));
    const listed = await templates.listSpecifications(me, 'boxes');
    expect(listed.map(({ version }) => version)).toEqual(['1', '2', '3', '4']);
    expect(listed.map(({ sources }) => sources?.length ?? null)).toEqual([
      null,
      ...Array.from({ length: 3 }, () => source.length),
    ]);
    expect(listed.map((one) => one.compiled)).toEqual([
      null,
      ...Array.from({ length: 3 }, () => compiled.text),
    ]);
    expect((await templates.specification(me, 'boxes', '1')).sources).toHaveLength(source.length);
  });

  it('refuses to list more than 1,000 versions without pages', async () => {
    const { templates, me, store, template } = await start();
    await template();
    await templates.createSpecification(me, 'boxes', { version: '0', compiled });
    await store.transaction(async (tx) => {
      const table = tx.t.specification;
      const [row] = await tx.db.select().from(table);
      if (row === undefined) throw new Error('There is no version.');
      for (let id = 1; id <= 1_000; id += 1)
        await tx.db.insert(table).values({ ...row, uid: `${id}`, tag: `${id}`, id: row.id + id });
    });
    expect(await failure(templates.listSpecifications(me, 'boxes'))).toMatchObject({
      problem: 'conflict',
      message: expect.stringContaining('GET /v1/contract-templates/boxes/versions'),
    });
  });

  it('stores compiled versions of a template, and registers contracts that are created from a version', async () => {
    const { contracts, templates, me, input, template } = await start();
    const parent = await template();
    expect(parent).toEqual({
      id: 1,
      templateId: 'boxes',
      name: 'boxes',
      description: null,
    });
    const version = await templates.createSpecification(me, 'boxes', { version: '1.0', compiled });
    expect(version).toMatchObject({
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      compiled: compiled.text,
      status: 'COMPILED',
      template: parent,
      hasPreprocessing: false,
      technology: 'ethereum',
      sources: null,
      version: '1.0',
      messages: [],
    });
    expect(await templates.specification(me, 'boxes', '1.0')).toEqual(version);
    expect(await templates.listSpecifications(me, 'boxes')).toEqual([version]);
    const specification = { templateId: 'boxes', version: '1.0' };
    const made = await contracts.register(me, {
      ...input,
      specification,
      properties: { address: address('aa') },
    });
    expect(made.specification).toEqual({ ...version, compiled: null });
    const byNumber = { ...input, contractId: 'two', specification: { id: version.id } };
    expect((await contracts.register(me, byNumber)).specification?.version).toBe('1.0');
  });

  it('rejects malformed or existing versions and templates, and versions and templates of other projects', async () => {
    const { templates, me, viewer, stranger, template, project } = await start();
    await template();
    await templates.createSpecification(me, 'boxes', { version: '1', compiled });
    const refused: [object, string][] = [
      [{ version: '1', compiled }, '/version'],
      [{ version: 'a:b', compiled }, '/version'],
      [{}, '/compiled'],
      [{ version: '2', compiled, sources: solidity }, '/compiled'],
      [{ version: '2', compiled: { ...compiled, code: '0x__$aa$__' } }, '/compiled/bytecode'],
      [{ version: '2', compiled: { ...compiled, interface: '[' } }, '/compiled/abi'],
      [{ version: '2', sources: '{' }, '/sources'],
      [{ version: '2', sources: solidity, compilerVersion: '0.4.11' }, '/compilerVersion'],
      [{ version: '2', sources: solidity, language: 'Go' }, '/language'],
      [{ version: '2', compiled, technology: 'hyperledger-fabric' }, '/compiled/package'],
    ];
    for (const [input, pointer] of refused) {
      const version = { version: '2', ...input };
      expect(await failure(templates.createSpecification(me, 'boxes', version))).toMatchObject({
        errors: [{ pointer }],
      });
    }
    expect(await failure(template())).toMatchObject({ errors: [{ pointer: '/templateId' }] });
    expect(await failure(templates.createTemplate(viewer, { name: 'x' }))).toMatchObject({
      problem: 'not-permitted',
    });
    const version = { version: '3', compiled };
    expect(await failure(templates.createSpecification(viewer, 'boxes', version))).toMatchObject({
      problem: 'not-permitted',
    });
    expect(await failure(templates.template(stranger, 'boxes'))).toMatchObject({ problem: 'not-found' });
    expect(await failure(templates.specification(me, 'boxes', 'none'))).toMatchObject({
      problem: 'not-found',
    });
    const query = { ...firstPage, projectId: project.projectId };
    expect((await templates.listTemplates(me, query)).total).toBe(1);
    expect((await templates.listTemplates(me, { ...query, resourceId: 'none' })).total).toBe(0);
    expect((await templates.listTemplates(stranger, query)).total).toBe(0);
  });

  it('a source version is PENDING at first, then COMPILED or FAILED with messages from the compiler', async () => {
    const { contracts, templates, compilations, me, input, template, store } = await start();
    await template();
    const sources = { version: '1', sources: solidity };
    const pending = await templates.createSpecification(me, 'boxes', sources);
    expect(pending).toMatchObject({
      status: 'PENDING',
      compiled: null,
      hasPreprocessing: true,
      language: 'Solidity',
      checksum: '',
    });
    expect(
      await failure(contracts.register(me, { ...input, specification: { id: pending.id } })),
    ).toMatchObject({ problem: 'conflict' });
    compilations.start();
    await templates.createSpecification(me, 'boxes', {
      version: '2',
      sources: solidity.replace('uint256', 'nothing'),
    });
    await compilations.idle();
    const done = await templates.specification(me, 'boxes', '1');
    expect(await templates.constructorInputs(me, 'boxes', '1')).toEqual([]);
    expect(await templates.constructorInputs(me, 'boxes', '2')).toBeNull();
    expect(await failure(templates.constructorInputs(me, 'boxes', '3'))).toMatchObject({
      problem: 'not-found',
    });
    expect(done).toMatchObject({
      status: 'COMPILED',
      compilerVersion: expect.stringContaining('0.8.'),
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      messages: [],
    });
    expect(JSON.parse(done.compiled ?? '')).toMatchObject({
      contract: 'Contract.sol:Box',
      abi: [{ name: 'value' }],
      bytecode: expect.stringMatching(/^0x60/),
    });
    expect(await templates.specification(me, 'boxes', '2')).toMatchObject({
      status: 'FAILED',
      messages: [{ severity: 'error', file: 'Contract.sol', line: 3 }],
    });
    expect(await contracts.register(me, { ...input, specification: { id: pending.id } })).toMatchObject({
      specification: { status: 'COMPILED' },
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
        // The service itself records compilation results, so the records have no identity.
        'compiled 1 ',
        'compilation-failed 2 ',
      ].toSorted(),
    );
    await compilations.close();
  }, 180_000);

  it('resumes compilations of a stopped server: immediately after a clean shutdown, otherwise when the lease expires', async () => {
    const { templates, compilations, server, me, template, store } = await start();
    await template();
    const sources = { version: '1', sources: solidity };
    const { id } = await templates.createSpecification(me, 'boxes', sources);
    const row = async () => {
      const { specification } = store.read.t;
      const [found] = await store.read.db.select().from(specification).where(eq(specification.id, id));
      return found;
    };
    // The server closes while it compiles.
    compilations.start();
    await compilations.close();
    expect(await row()).toMatchObject({ status: 'PENDING' });
    // A killed server still holds the lease but does no work.
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

  it('marks sources as FAILED after their compilation was interrupted three times', async () => {
    const { templates, compilations, me, template, store } = await start();
    await template();
    await templates.createSpecification(me, 'boxes', { version: '1', sources: solidity });
    await store.transaction((tx) => tx.db.update(tx.t.specification).set({ attempts: 3 }));
    compilations.start();
    await compilations.idle();
    expect(await templates.specification(me, 'boxes', '1')).toMatchObject({
      status: 'FAILED',
      messages: [{ severity: 'error', message: expect.stringContaining('interrupted 3 times') }],
    });
    await compilations.close();
  });

  it('registers tokens on contracts of the project, and refuses to delete contracts with tokens', async () => {
    const { contracts, current, me, viewer, stranger, input, store } = await start();
    const contract = await contracts.register(me, input);
    const token = {
      tokenId: 'coin',
      name: 'Coin',
      ticker: 'CN',
      contractId: 'box',
    };
    const made = await contracts.registerToken(me, token);
    expect(made).toEqual({
      id: 1,
      tokenId: 'coin',
      name: 'Coin',
      ticker: 'CN',
      contract,
    });
    expect(await failure(contracts.registerToken(me, token))).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/tokenId' }],
    });
    expect(await failure(contracts.registerToken(viewer, token))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(contracts.registerToken(stranger, token))).toMatchObject({
      problem: 'not-found',
      errors: [{ pointer: '/contractId' }],
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

  it('stores responses for Idempotency-Keys', async () => {
    const { contracts, templates, me, input, store } = await start();
    const claim = { scope: 's', key: 'k', fingerprint: 'f' };
    const made = await contracts.register(me, input, claim);
    const [row] = await store.read.db.select().from(store.read.t.idempotency);
    expect(JSON.parse(row?.body ?? '')).toEqual(made);
    const template = templates.createTemplate(me, { name: 't' }, claim);
    expect(await failure(template)).toMatchObject({ problem: 'conflict' });
  });

  it('creates the group "Older contract registry" once, even for concurrent requests', async () => {
    const { contracts, me, input, store } = await start();
    await Promise.all(['a', 'b', 'c'].map((contractId) => contracts.register(me, { ...input, contractId })));
    expect(await store.read.db.select().from(store.read.t.contractGroup)).toHaveLength(1);
  });

  it('a chaincode package is accepted as a version for Fabric and is COMPILED immediately', async () => {
    const { templates, me, template, registry, project } = await start();
    await template('basics');
    const technology = 'hyperledger-fabric';
    const code = await chaincodePackage();
    const specify = (tag: string, interfaceText: string, packed = code) =>
      templates.createSpecification(me, 'basics', {
        version: tag,
        technology,
        compiled: { interface: interfaceText, code: packed },
      });
    const version = await specify('1.0', '');
    expect(version).toMatchObject({ status: 'COMPILED', language: 'ccaas' });
    expect(JSON.parse(version.compiled ?? '')).toEqual({
      label: 'basic_1.0',
      type: 'ccaas',
      packageId: expect.stringMatching(/^basic_1\.0:[0-9a-f]{64}$/),
    });
    await specify('1.1', '{ "contracts": {} }');
    const { uid } = (await registry.template(project.uid, 'basics')) ?? { uid: '' };
    expect(await registry.specification(uid, '1.0')).toMatchObject({ code, interface: '' });
    expect(await registry.specification(uid, '1.1')).toMatchObject({ code, interface: '{"contracts":{}}' });
    expect(await failure(specify('2.0', '', 'AAAA'))).toMatchObject({
      errors: [{ pointer: '/compiled/package' }],
    });
    expect(await failure(specify('2.0', '{'))).toMatchObject({
      errors: [{ pointer: '/compiled/interface' }],
    });
    expect(await templates.codeForm(me, 'basics', { technology })).toBe('package');
    expect(await templates.codeForm(me, 'basics', {})).toBe('bytecode');
    const sources = { version: '2.0', technology, sources: solidity };
    expect(await failure(templates.createSpecification(me, 'basics', sources))).toMatchObject({
      errors: [{ pointer: '/technology' }],
    });
  });
});
