import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Template, templatesQuery } from '../api/templates.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Records } from '../ui/records.tsx';
import { NewVersion } from './templates/new-version.tsx';

const columns: Column<Template>[] = [
  {
    id: 'name',
    header: 'Template',
    cell: (one) => (
      <div className="min-w-0">
        <Link
          to="/templates/$templateId"
          params={{ templateId: one.templateId }}
          className="font-medium wrap-anywhere underline-offset-4 hover:underline"
        >
          {one.name}
        </Link>
        {one.description ? <p className="text-xs wrap-anywhere text-ink-3">{one.description}</p> : null}
      </div>
    ),
  },
  {
    id: 'templateId',
    header: 'Id',
    cell: (one) => <span className="wrap-anywhere">{one.templateId}</span>,
  },
];

export function Templates() {
  const list = useQuery(templatesQuery());
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead
        title="Templates"
        about="Code that contracts are deployed from, in versions. What is deployed from one is registered by itself."
      >
        <Button look="primary" onClick={() => setAdding(true)}>
          New template
        </Button>
      </PageHead>
      <Records
        label="Templates"
        list={list}
        columns={columns}
        rowId={({ templateId }) => templateId}
        empty={
          <Empty title="No template yet">
            Add the sources of a contract, or what your compiler made of them, and deploy it from here.
          </Empty>
        }
      />
      {isAdding ? (
        <NewVersion
          done={(templateId) => void navigate({ to: '/templates/$templateId', params: { templateId } })}
          close={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}
