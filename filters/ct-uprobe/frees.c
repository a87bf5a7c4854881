/* frees.c - jumps to what gives memory back. Contracts in frees.h. */
#include <gelf.h>
#include <string.h>

#include "frees.h"
#include "snap/target.h"

/* Of the relocation for that word of the module; NULL: it has none. */
static const char *relocation(Dwfl_Module *m, uint64_t word)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(m, &bias);
	Elf_Scn *s = NULL, *of;
	GElf_Shdr h, symbols;

	while (elf && (s = elf_nextscn(elf, s))) {
		Elf_Data *relocations, *data;

		if (!gelf_getshdr(s, &h) || h.sh_type != SHT_RELA || !h.sh_entsize ||
			!(of = elf_getscn(elf, h.sh_link)) || !gelf_getshdr(of, &symbols) ||
			symbols.sh_type != SHT_DYNSYM || !(data = elf_getdata(of, NULL)) ||
			!(relocations = elf_getdata(s, NULL)))
			continue;
		for (size_t i = 0; i < h.sh_size / h.sh_entsize; i++) {
			GElf_Rela r;
			GElf_Sym sym;

			if (gelf_getrela(relocations, (int)i, &r) && r.r_offset + bias == word &&
				gelf_getsym(data, (int)GELF_R_SYM(r.r_info), &sym))
				return elf_strptr(elf, symbols.sh_link, sym.st_name);
		}
	}
	return NULL;
}

/* Behind an entry of the PLT: endbr64; bnd jmp *word(%rip) */
static const char *imported(Dwfl_Module *m, uint64_t addr)
{
	enum { LONGEST = 16 };
	const unsigned char *text = module_code(m, addr, LONGEST), *p = text;
	int32_t distance;

	if (!p)
		return NULL;
	p += memcmp(p, "\xf3\x0f\x1e\xfa", 4) ? 0 : 4;
	p += *p == 0xf2;
	if (p[0] != 0xff || p[1] != 0x25)
		return NULL;
	memcpy(&distance, p + 2, sizeof(distance));
	return relocation(m, addr + (uint64_t)(p - text) + 6 + (uint64_t)(int64_t)distance);
}

bool jump_frees(Dwfl_Module *m, uint64_t addr, const unsigned char *text, size_t left)
{
	int32_t distance;
	uint64_t to;
	const char *name;
	GElf_Off into;
	GElf_Sym sym;

	if (left < 5 || *text != 0xe9)
		return false;
	memcpy(&distance, text + 1, sizeof(distance));
	to = addr + 5 + (uint64_t)(int64_t)distance;
	name = dwfl_module_addrinfo(m, to, &into, &sym, NULL, NULL, NULL);
	if (!name || into)
		name = imported(m, to);
	/* operator delete, a class's own one, too */
	return name && (strstr(name, "dlEPv") || !strncmp(name, "_ZdlPv", 6) || !strcmp(name, "free"));
}
