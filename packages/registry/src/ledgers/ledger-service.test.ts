import { Problem } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createLedgerServices, firstPage } from '../../test/ledger-services.ts';
import { failure } from '../../test/world.ts';
import type { LedgerInput } from './types.ts';

const key = '-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----';

describeStores('ledger operations', (open) => {
  it('returns a ledger with its properties by name', async () => {
    const { ledgers, me, add, project, registry } = await createLedgerServices(await open());
    const made = await add();
    expect(made).toEqual({
      id: 1,
      uid: expect.any(String),
      ledgerId: 'main',
      projectId: project.projectId,
      name: 'Main',
      technology: 'ethereum',
      technologyTitle: 'Ethereum',
      type: 'blockchain',
      active: true,
      featured: false,
      properties: { confirmations: 2, chain_id: 1337 },
    });
    expect(await ledgers.get(me, 'main')).toEqual(made);
    expect(await registry.ledgerByLedgerId('main', project.uid)).toMatchObject({
      properties: { chain_id: 1337, confirmations: 2 },
    });
  });

  it("keeps ledger ids unique per project, and finds the project's own ledger first", async () => {
    const { ledgers, me, stranger, admin, add, input, registry, project, other } = await createLedgerServices(
      await open(),
    );
    const mine = await add();
    expect(await failure(add())).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/ledgerId' }],
    });
    const theirs = await ledgers.create(stranger, input);
    const common = await ledgers.create(admin, { ...input, projectId: 'system' });
    expect(common.projectId).toBe('system');
    expect((await ledgers.get(me, 'main')).id).toBe(mine.id);
    expect((await ledgers.get(stranger, 'main')).id).toBe(theirs.id);
    expect((await registry.ledgerByLedgerId('main', project.uid))?.id).toBe(mine.id);
    expect((await registry.ledgerByLedgerId('main', other.uid))?.id).toBe(theirs.id);
    expect((await registry.ledgerByLedgerId('main', 'none'))?.id).toBe(common.id);
    const results = await Promise.allSettled([add({ ledgerId: 'same' }), add({ ledgerId: 'same' })]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('lists active and featured ledgers of the project and the deployer to callers who may see them', async () => {
    const { ledgers, me, stranger, admin, add, input, project } = await createLedgerServices(await open());
    await add({ ledgerId: 'a' });
    await add({ ledgerId: 'b', featured: true });
    await add({ ledgerId: 'c', active: false, featured: true });
    await ledgers.create(admin, { ...input, ledgerId: 'd', projectId: 'system', featured: true });
    const names = async (principal: typeof me, query: object = {}) => {
      const { items, total } = await ledgers.listActive(principal, { ...firstPage, ...query });
      return [items.map(({ ledgerId }) => ledgerId).join(), total];
    };
    expect(await names(me)).toEqual(['a,b,d', 3]);
    expect(await names(me, { size: 2, page: 1 })).toEqual(['d', 3]);
    expect(await names(me, { sort: [{ key: 'ledgerId', direction: 'desc' }] })).toEqual(['d,b,a', 3]);
    expect(await names(me, { resourceId: 'b' })).toEqual(['b', 1]);
    expect(await names(me, { resourceId: '' })).toEqual(['a,b,d', 3]);
    expect(await names(stranger)).toEqual(['d', 1]);
    expect(await names(stranger, { projectId: project.projectId })).toEqual(['', 0]);
    expect(await names(stranger, { projectId: 'none' })).toEqual(['', 0]);
    const { items } = await ledgers.listFeatured(me, firstPage);
    expect(items.map(({ ledgerId }) => ledgerId)).toEqual(['b', 'd']);
    expect(await failure(names(me, { sort: [{ key: 'secrets', direction: 'asc' }] }))).toMatchObject({
      errors: [{ pointer: 'sort' }],
    });
  });

  it('reports the pointer of an invalid property without repeating secrets', async () => {
    const { add } = await createLedgerServices(await open());
    const refused: [LedgerInput['properties'], string][] = [
      [{ confirmations: 1, chain: 1 }, '/properties/chain'],
      [{ confirmations: 0 }, '/properties/confirmations'],
    ];
    for (const [properties, pointer] of refused) {
      const error = await failure(add({ properties }));
      expect(error).toMatchObject({ problem: 'invalid-request' });
      expect(error instanceof Problem && error.errors[0]?.pointer.startsWith(pointer)).toBe(true);
    }
    const error = await failure(
      add({ technology: 'hyperledger-fabric', properties: { tls_client_key: 'hunter2' } }),
    );
    expect(error).toMatchObject({ errors: [{ pointer: '/properties/tls_client_key' }] });
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
    expect(await failure(add({ technology: 'none' }))).toMatchObject({
      problem: 'no-plugin',
      errors: [
        {
          pointer: '/technology',
          detail: expect.stringContaining(
            'supported are ethereum, hyperledger-fabric. Register a plugin for it',
          ),
        },
      ],
    });
  });

  it('encrypts secret properties, passes them to the runtime, and never returns them', async () => {
    const { ledgers, me, add, store, registry, project } = await createLedgerServices(await open());
    const made = await add({
      technology: 'hyperledger-fabric',
      properties: { msp_id: 'Org1MSP', tls_client_key: key },
    });
    expect(made.properties).toHaveProperty('tls_client_key', null);
    expect(JSON.stringify(made)).not.toContain('MIIsecret');
    const [row] = await store.read.db.select().from(store.read.t.ledger);
    expect(row?.properties).toBe('{"msp_id":"Org1MSP"}');
    expect(Buffer.from(row?.secrets ?? []).toString('latin1')).not.toContain('MIIsecret');
    const held = async () => (await registry.ledgerByLedgerId('main', project.uid))?.properties;
    expect(await held()).toEqual({ msp_id: 'Org1MSP', tls_client_key: key });
    // A secret that is sent as it was read is kept. An omitted secret is removed.
    await ledgers.update(me, 'main', { name: 'New', properties: made.properties });
    expect(await held()).toEqual({ msp_id: 'Org1MSP', tls_client_key: key });
    await ledgers.update(me, 'main', { properties: { msp_id: 'Org2MSP' } });
    expect(await held()).toEqual({ msp_id: 'Org2MSP' });
  });

  it('updates the members of a ledger that the request contains, but never changes the chain id', async () => {
    const { ledgers, me, add } = await createLedgerServices(await open());
    await add();
    expect(
      await ledgers.update(me, 'main', {
        name: 'New',
        active: false,
        featured: true,
        type: 'test',
      }),
    ).toMatchObject({ name: 'New', active: false, featured: true, type: 'test' });
    expect((await ledgers.listActive(me, firstPage)).total).toBe(0);
    const other = { confirmations: 1, chain_id: 5 };
    expect(await failure(ledgers.update(me, 'main', { properties: other }))).toMatchObject({
      problem: 'conflict',
      errors: [{ pointer: '/properties/chain_id' }],
    });
    expect(await failure(ledgers.update(me, 'main', { name: '' }))).toMatchObject({
      errors: [{ pointer: '/name' }],
    });
  });

  it('does not send secrets of a ledger to a new address unless they are given again', async () => {
    const { ledgers, me, add, registry, project } = await createLedgerServices(await open());
    const certificate = '-----BEGIN CERTIFICATE-----\nMIIroot\n-----END CERTIFICATE-----';
    const ca = {
      ca_url: 'https://ca.example',
      ca_name: 'ca',
      ca_registrar_id: 'admin',
      ca_tls_certificate: certificate,
    };
    await add({
      technology: 'hyperledger-fabric',
      properties: { ...ca, ca_registrar_secret: 'hunter2' },
    });
    const held = async () => (await registry.ledgerByLedgerId('main', project.uid))?.properties;
    const before = await held();
    const update = (properties: Record<string, unknown>) => ledgers.update(me, 'main', { properties });
    const { ca_url: _url, ...withoutUrl } = ca;
    const { ca_tls_certificate: _certificate, ...withoutCertificate } = ca;
    for (const properties of [
      { ...ca, ca_url: 'https://elsewhere.example' },
      { ...ca, ca_url: 'https://ca.example/' },
      { ...ca, ca_tls_certificate: certificate.replace('root', 'mine') },
      { ...ca, ca_name: 'other' },
      { ...ca, ca_registrar_id: 'other' },
      withoutCertificate,
      // First of two steps: removes the address. The second step sets another address.
      withoutUrl,
      { ...ca, plugin_tags: ['other'] },
      { ...ca, allow_unencrypted: true },
    ]) {
      expect(await failure(update({ ...properties, ca_registrar_secret: null }))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer: '/properties/ca_registrar_secret' }],
      });
      expect(await held()).toEqual(before);
    }
    await update({ ...ca, confirmations: 3, ca_registrar_secret: null });
    expect(await held()).toMatchObject({ confirmations: 3, ca_registrar_secret: 'hunter2' });
    const elsewhere = { ca_url: 'https://elsewhere.example', ca_registrar_secret: 'other' };
    await update({ ...ca, ...elsewhere });
    expect(await held()).toMatchObject(elsewhere);
    await update(ca);
    expect(await held()).not.toHaveProperty('ca_registrar_secret');
  });
});
