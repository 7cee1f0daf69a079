import { Problem } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createLedgerGround, firstPage, property } from '../../test/ledger-ground.ts';
import { failure } from '../../test/world.ts';
import { stableNumber } from '../stable-number.ts';
import type { LedgerInput } from './types.ts';

const key = '-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----';

describeStores('ledgers', (open) => {
  it('answers a ledger in the shape of the interface', async () => {
    const { ledgers, me, add, project, registry } = await createLedgerGround(await open());
    const made = await add();
    expect(made).toEqual({
      active: true,
      id: 1,
      ledgerID: 'main',
      ledgerTechnology: {
        id: stableNumber('ethereum'),
        ledgerTechnologyID: 'ethereum',
        name: 'Ethereum',
      },
      name: 'Main',
      properties: [
        {
          id: stableNumber('1/confirmations'),
          type: {
            id: stableNumber('confirmations'),
            name: 'confirmations',
            scope: { id: stableNumber('common'), name: 'common' },
          },
          value: 2,
        },
        {
          id: stableNumber('1/chain_id'),
          type: {
            id: stableNumber('chain_id'),
            name: 'chain_id',
            scope: { id: stableNumber('ethereum'), name: 'ethereum' },
          },
          value: 1337,
        },
      ],
      resourceId: 'main',
      type: { name: 'blockchain' },
      projectId: project.projectId,
      uid: expect.any(String),
      featured: false,
    });
    expect(await ledgers.get(me, 'main')).toEqual(made);
    expect(await registry.ledgerByLedgerId('main', project.uid)).toMatchObject({
      properties: { chain_id: 1337, confirmations: 2 },
    });
  });

  it('keeps ids unique per project, and finds the own one first', async () => {
    const { ledgers, me, stranger, admin, add, input, registry, project, other } = await createLedgerGround(
      await open(),
    );
    const mine = await add();
    expect(await failure(add())).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/ledgerID' }],
    });
    const theirs = await ledgers.create(stranger, input);
    const common = await ledgers.create(admin, { ...input, projectId: 'system' });
    expect(common.projectId).toBe('system');
    expect((await ledgers.get(me, 'main')).id).toBe(mine.id);
    expect((await ledgers.get(stranger, 'main')).id).toBe(theirs.id);
    expect((await registry.ledgerByLedgerId('main', project.uid))?.id).toBe(mine.id);
    expect((await registry.ledgerByLedgerId('main', other.uid))?.id).toBe(theirs.id);
    expect((await registry.ledgerByLedgerId('main', 'none'))?.id).toBe(common.id);
    const results = await Promise.allSettled([add({ ledgerID: 'same' }), add({ ledgerID: 'same' })]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('lists active and featured ledgers of the project and the deployer, each to who may see them', async () => {
    const { ledgers, me, stranger, admin, add, input, project } = await createLedgerGround(await open());
    await add({ ledgerID: 'a' });
    await add({ ledgerID: 'b', featured: true });
    await add({ ledgerID: 'c', active: false, featured: true });
    await ledgers.create(admin, { ...input, ledgerID: 'd', projectId: 'system', featured: true });
    const names = async (principal: typeof me, query: object = {}) => {
      const { items, total } = await ledgers.listActive(principal, { ...firstPage, ...query });
      return [items.map(({ ledgerID }) => ledgerID).join(), total];
    };
    expect(await names(me)).toEqual(['a,b,d', 3]);
    expect(await names(me, { size: 2, page: 1 })).toEqual(['d', 3]);
    expect(await names(me, { sort: [{ key: 'ledgerID', direction: 'desc' }] })).toEqual(['d,b,a', 3]);
    expect(await names(me, { resourceId: 'b' })).toEqual(['b', 1]);
    expect(await names(me, { resourceId: '' })).toEqual(['a,b,d', 3]);
    expect(await names(stranger)).toEqual(['d', 1]);
    expect(await names(stranger, { project: project.projectId })).toEqual(['', 0]);
    expect(await names(stranger, { project: 'none' })).toEqual(['', 0]);
    const { items } = await ledgers.listFeatured(me, firstPage);
    expect(items.map(({ ledgerID }) => ledgerID)).toEqual(['b', 'd']);
    expect(await failure(names(me, { sort: [{ key: 'secrets', direction: 'asc' }] }))).toMatchObject({
      errors: [{ pointer: 'sort' }],
    });
  });

  it('says where a property is wrong, without repeating secrets', async () => {
    const { add } = await createLedgerGround(await open());
    const refused: [LedgerInput['properties'], string][] = [
      [[property('confirmations', 1), property('chain', 1)], '/properties'],
      [[property('confirmations', 0)], '/properties/0/value'],
      [[property('confirmations', 1), property('confirmations', 2)], '/properties/1/type/name'],
    ];
    for (const [properties, pointer] of refused) {
      const error = await failure(add({ properties: properties ?? [] }));
      expect(error).toMatchObject({ problem: 'invalid-request' });
      expect(error instanceof Problem && error.errors[0]?.pointer.startsWith(pointer)).toBe(true);
    }
    const fabric = { ledgerTechnologyID: 'hyperledger-fabric' };
    const error = await failure(
      add({ ledgerTechnology: fabric, properties: [property('tls_client_key', 'hunter2')] }),
    );
    expect(error).toMatchObject({ errors: [{ pointer: '/properties/0/value' }] });
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
    expect(await failure(add({ ledgerTechnology: { ledgerTechnologyID: 'none' } }))).toMatchObject({
      problem: 'no-plugin',
      errors: [
        {
          pointer: '/ledgerTechnology/ledgerTechnologyID',
          detail: expect.stringContaining('known are ethereum, hyperledger-fabric. A plugin for it can be'),
        },
      ],
    });
  });

  it('seals secret properties, hands them to the runtime, and never answers them', async () => {
    const { ledgers, me, add, store, registry, project } = await createLedgerGround(await open());
    const made = await add({
      ledgerTechnology: { ledgerTechnologyID: 'hyperledger-fabric' },
      properties: [property('msp_id', 'Org1MSP'), property('tls_client_key', key)],
    });
    const shown = made.properties.find(({ type }) => type.name === 'tls_client_key');
    expect(shown).toMatchObject({ value: null });
    expect(JSON.stringify(made)).not.toContain('MIIsecret');
    const [row] = await store.read.db.select().from(store.read.t.ledger);
    expect(row?.properties).toBe('{"msp_id":"Org1MSP"}');
    expect(Buffer.from(row?.secrets ?? []).toString('latin1')).not.toContain('MIIsecret');
    const held = async () => (await registry.ledgerByLedgerId('main', project.uid))?.properties;
    expect(await held()).toEqual({ msp_id: 'Org1MSP', tls_client_key: key });
    // Put back as it was read: the secret stays. Left out: it goes.
    await ledgers.update(me, 'main', { name: 'New', properties: made.properties });
    expect(await held()).toEqual({ msp_id: 'Org1MSP', tls_client_key: key });
    await ledgers.update(me, 'main', { properties: [property('msp_id', 'Org2MSP')] });
    expect(await held()).toEqual({ msp_id: 'Org2MSP' });
  });

  it('updates what is given, and never the chain', async () => {
    const { ledgers, me, add } = await createLedgerGround(await open());
    await add();
    expect(
      await ledgers.update(me, 'main', {
        name: 'New',
        active: false,
        featured: true,
        type: { name: 'test' },
      }),
    ).toMatchObject({ name: 'New', active: false, featured: true, type: { name: 'test' } });
    expect((await ledgers.listActive(me, firstPage)).total).toBe(0);
    const other = [property('confirmations', 1), property('chain_id', 5)];
    expect(await failure(ledgers.update(me, 'main', { properties: other }))).toMatchObject({
      problem: 'conflict',
      errors: [{ pointer: '/properties/1/value' }],
    });
    expect(await failure(ledgers.update(me, 'main', { name: '' }))).toMatchObject({
      errors: [{ pointer: '/name' }],
    });
  });

  it('does not send its secrets elsewhere: where they go changes only with them', async () => {
    const { ledgers, me, add, registry, project } = await createLedgerGround(await open());
    const certificate = '-----BEGIN CERTIFICATE-----\nMIIroot\n-----END CERTIFICATE-----';
    const ca = [
      ...[property('ca_url', 'https://ca.example'), property('ca_name', 'ca')],
      ...[property('ca_registrar_id', 'admin'), property('ca_tls_certificate', certificate)],
    ];
    const secret = property('ca_registrar_secret', 'hunter2');
    await add({
      ledgerTechnology: { ledgerTechnologyID: 'hyperledger-fabric' },
      properties: [...ca, secret],
    });
    const held = async () => (await registry.ledgerByLedgerId('main', project.uid))?.properties;
    const before = await held();
    const update = (properties: { type: { name: string }; value?: unknown }[]) =>
      ledgers.update(me, 'main', { properties });
    const kept = property('ca_registrar_secret', null);
    const changed = (name: string, value: string) =>
      ca.map((one) => (one.type.name === name ? property(name, value) : one));
    for (const properties of [
      changed('ca_url', 'https://elsewhere.example'),
      changed('ca_url', 'https://ca.example/'),
      changed('ca_tls_certificate', certificate.replace('root', 'mine')),
      changed('ca_name', 'other'),
      changed('ca_registrar_id', 'other'),
      ca.filter(({ type }) => type.name !== 'ca_tls_certificate'),
      // The first of two steps: an address taken away, and another one given later.
      ca.filter(({ type }) => type.name !== 'ca_url'),
      [...ca, property('plugin_tags', ['other'])],
      [...ca, property('allow_unencrypted', true)],
    ]) {
      expect(await failure(update([...properties, kept]))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer: `/properties/${properties.length}/value` }],
      });
      expect(await held()).toEqual(before);
    }
    await update([...ca, property('confirmations', 3), kept]);
    expect(await held()).toMatchObject({ confirmations: 3, ca_registrar_secret: 'hunter2' });
    const moved = changed('ca_url', 'https://elsewhere.example');
    await update([...moved, property('ca_registrar_secret', 'other')]);
    expect(await held()).toMatchObject({ ca_url: 'https://elsewhere.example', ca_registrar_secret: 'other' });
    await update(ca);
    expect(await held()).not.toHaveProperty('ca_registrar_secret');
  });
});
