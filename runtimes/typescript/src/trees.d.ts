/** The part of the interface of trees that does not depend on the protocol. */

/**
 * Entries that refer to their parents; `T` is the type of the entries.
 *
 * An entry is a decoded object, an unknown one, or other JSON. Ids are strings and integers; `1` and `"1"` differ. An
 * entry whose parent is unknown is a root until the parent is added.
 */
export declare class Tree<T> {
  /**
   * Adds an entry; one with the same id as an earlier entry replaces it, at its position. Returns false, and adds
   * nothing, if the entry has no id. Later changes of the entry's ids have no effect.
   */
  add(entry: T): boolean;
  /**
   * The entries from the root to the entry with the id `leaf`, by default the active leaf: the end of the branch of the
   * last entry. Empty if there is no such entry.
   *
   * An entry that is attached to one of them is in its place as well, although it is on another branch. With `history`,
   * the path goes on before the root if that names a previous entry.
   */
  path(options?: { readonly leaf?: string | number | undefined; readonly history?: boolean | undefined }): T[];
  /** The ends of all branches, in order of adding, without attached entries that have no children. */
  leaves(): T[];
  /** The children of an entry, in order of adding; without an id, the roots. */
  children(id?: string | number): T[];
}
