import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Bookmark, X } from 'lucide-react';
import { useState } from 'react';
import { removeFilter, savedFilters, saveFilter } from '../../lib/saved-filters.ts';
import { useChosenProject } from '../../session/use-project.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const route = getRouteApi('/frame/actions');

/** Saved filters of the project as links, and a button that saves those of the page. */
export function SavedFilters() {
  const { cursor: _, ...search } = route.useSearch();
  const project = useChosenProject() ?? '';
  const [saved, setSaved] = useState(() => savedFilters(project));
  const [isSaving, setSaving] = useState(false);
  const current = JSON.stringify(search);
  const isKnown = saved.some((one) => JSON.stringify(one.search) === current);
  const canSave = Object.keys(search).length > 0 && !isKnown;
  if (saved.length === 0 && !canSave) return null;
  return (
    <section aria-label="Saved filters" className="mb-3 flex flex-wrap items-center gap-1.5">
      {saved.map((one) => (
        <span
          key={one.name}
          className="inline-flex items-center rounded-lg border border-line bg-surface text-sm"
        >
          <Link
            from="/actions"
            search={one.search}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-lg px-2.5 font-medium text-ink-2 hover:text-ink"
          >
            <Bookmark aria-hidden="true" className="size-3.5 text-gold" /> {one.name}
          </Link>
          <button
            type="button"
            aria-label={`Remove the saved filter ${one.name}`}
            onClick={() => setSaved(removeFilter(project, one.name))}
            className="mr-1 grid size-6 place-items-center rounded text-ink-3 hover:bg-sunken hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </span>
      ))}
      {canSave ? (
        <Button look="quiet" onClick={() => setSaving(true)}>
          <Bookmark aria-hidden="true" className="size-4" /> Save this filter
        </Button>
      ) : null}
      {isSaving ? (
        <SaveFilter
          save={(name) => setSaved(saveFilter(project, { name, search }))}
          close={() => setSaving(false)}
        />
      ) : null}
    </section>
  );
}

function SaveFilter({ save, close }: { save: (name: string) => void; close: () => void }) {
  const [name, setName] = useState('');
  const request = useMutation({
    mutationFn: async () => save(name.trim()),
    onSuccess: close,
  });
  return (
    <FormDialog
      title="Save this filter"
      about="The filter is kept in this browser. To share it, copy the page’s address, which contains the filter."
      confirm="Save"
      request={request}
      submit={() => request.mutate()}
      close={close}
    >
      <Input label="Name" required maxLength={40} pattern=".*\S.*" value={name} set={setName} />
    </FormDialog>
  );
}
