/* What gcc's unwinder for glibc needs in a static program with musl. Without it the
   first panic ends the program. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stddef.h>

/* The unwinder refers to these weakly, which takes nothing from a static library, and
   calls them nevertheless. */
__attribute__((used)) static void *const needed[] = {
    pthread_getspecific, pthread_key_create, pthread_mutex_lock,
    pthread_mutex_unlock, pthread_once, pthread_setspecific,
};

/* Result of _dl_find_object (glibc, dlfcn.h) on x86-64. */
struct found {
    unsigned long long flags;
    void *map_start, *map_end, *link_map, *eh_frame;
};

struct question {
    char *pc;
    struct found *found;
};

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
    struct question *question = data;
    char *base = (char *)object->dlpi_addr, *start = NULL, *end = NULL, *tables = NULL;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        char *address = base + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME)
            tables = address;
        else if (part->p_type == PT_LOAD && question->pc >= address && question->pc < address + part->p_memsz)
            start = address, end = address + part->p_memsz;
    }
    if (!start || !tables)
        return 0;
    *question->found = (struct found){ .map_start = start, .map_end = end, .eh_frame = tables };
    return 1;
}

/* In which part of the program is `pc`, and where is the header of its unwind tables? */
int _dl_find_object(void *pc, struct found *found)
{
    struct question question = { pc, found };
    return dl_iterate_phdr(look, &question) ? 0 : -1;
}
