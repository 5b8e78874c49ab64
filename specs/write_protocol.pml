/* The write protocol of design section 4 (docs/protocols/write.md): publish first, heads follow.
 *
 * One step of a process is one call of the storage: it happens at once, and everything may happen
 * between two of them. What is modelled, the bounds and the state counts: specs/README.md. The names
 * of planted mistakes (-DMISTAKE_…) stand in specs/run.py; each must make an assertion fail.
 */
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef FOREIGN
#define FOREIGN 1      /* commits of somebody without weft */
#endif
#ifndef TICKS
#define TICKS 0        /* how far time goes; 0: nobody grows old, nothing is swept */
#endif
#ifndef CRASHES
#define CRASHES 1      /* how many writers may die */
#endif
#ifndef TRIES
#define TRIES 2        /* races that an operation may lose */
#endif

#define TABLES 2
#define SLOTS 6        /* versions of __manifest */
#define HEADS 7        /* versions of a table */
#define LIFETIME 1     /* ticks an operation may act; twice that, its requests may land */
#define FOREIGN_ROWS 8 /* in a mask of rows: those of somebody without weft */

/* Rows are sets: operation i adds bit i. Writer 0 changes both tables, 1 and 2 one each. */
#define BIT(i) (1 << (i))
#ifdef ONE_TABLE
#define TOUCHES(i, t) ((t) == 0)  /* smaller: all write the first table */
#else
#define TOUCHES(i, t) ((i) == 0 || (i) == (t) + 1)
#endif

/* Records of a publication: of writer i, of a rebase, of a cleanup. */
#define OF_WRITER(i) ((i) + 1)
#define OF_REBASE 20
#define OF_CLEANUP 21

typedef Version {
  byte record;
  byte number[TABLES];  /* of the head that the pin intends */
  byte rows[TABLES];    /* the pin's content: the detached version */
  byte base[TABLES];    /* rows of the head it was staged upon */
};
Version version[SLOTS];
bool is_there[SLOTS];   /* the object exists */
byte top;               /* highest ever created; versions begin at 1 */
byte floor_version;     /* below: struck out */

/* Head n of table t: index t * HEADS + n. */
byte head_rows[TABLES * HEADS];
bool head_foreign[TABLES * HEADS];
bool head_there[TABLES * HEADS];
byte head_top[TABLES];
#define HEAD(t, n) ((t) * HEADS + (n))

byte now;
byte birth[WRITERS];
bool staged[WRITERS];      /* the staged objects exist */
byte times[WRITERS];       /* how often an operation was published: the model's own count */
byte verdict[WRITERS];     /* what its caller was told */
#define NOTHING 0
#define ACKNOWLEDGED 1
#define REFUSED 2
#define UNKNOWN 3
byte request_slot[WRITERS]; /* a creation that may still land; 0: none */
Version request[WRITERS];
byte crashes_left = CRASHES;
byte writers_left = WRITERS;
byte cleaners_left;

/* -- the storage's calls ------------------------------------------------------------------------ */

/* Creates version k if it is absent. What must hold of every publication is asserted here. */
inline create_version(the_slot, the_content, was_created) {
  if
  :: is_there[the_slot] -> was_created = false
  :: else ->
     /* A version that was deleted never comes back, and none is skipped. */
     assert(the_slot == top + 1);
     /* Nothing that was published is lost. */
     assert((the_content.rows[0] & version[the_slot - 1].rows[0]) == version[the_slot - 1].rows[0]);
     assert((the_content.rows[1] & version[the_slot - 1].rows[1]) == version[the_slot - 1].rows[1]);
     if
     :: the_content.record <= WRITERS ->
        /* Exactly once, and all that it refers to is there. */
        assert(times[the_content.record - 1] == 0);
        assert(staged[the_content.record - 1]);
        assert(verdict[the_content.record - 1] != REFUSED);
        times[the_content.record - 1]++
     :: else
     fi;
     version[the_slot].record = the_content.record;
     version[the_slot].number[0] = the_content.number[0];
     version[the_slot].number[1] = the_content.number[1];
     version[the_slot].rows[0] = the_content.rows[0];
     version[the_slot].rows[1] = the_content.rows[1];
     version[the_slot].base[0] = the_content.base[0];
     version[the_slot].base[1] = the_content.base[1];
     is_there[the_slot] = true;
     top = the_slot;
     was_created = true
  fi
}

/* Creates head n of table t if it is absent: what weft does when it follows. */
inline create_head(the_table, the_head, the_rows) {
  if
  :: head_there[HEAD(the_table, the_head)] -> skip
  :: else ->
     /* A head holds published rows only … */
     assert(version[top].rows[the_table] == the_rows ||
            (version[top].rows[the_table] & the_rows) == the_rows);
     known = false;
     i_search = 1;
     do
     :: i_search <= top ->
        if
        :: version[i_search].number[the_table] == the_head && version[i_search].rows[the_table] == the_rows -> known = true
        :: else
        fi;
        i_search++
     :: else -> break
     od;
     i_search = 0;
     assert(known);
     known = false;
     if
     :: the_head > head_top[the_table] ->
        /* … and the newest one never hides rows that somebody else wrote. */
        assert((head_rows[HEAD(the_table, head_top[the_table])] & FOREIGN_ROWS) == 0 ||
               (the_rows & FOREIGN_ROWS) != 0);
        head_top[the_table] = the_head
     :: else
     fi;
     head_there[HEAD(the_table, the_head)] = true;
     head_rows[HEAD(the_table, the_head)] = the_rows;
     head_foreign[HEAD(the_table, the_head)] = false
  fi
}

/* What table t is like for one who knows version m: step 2 of the protocol. */
#define BEHIND 1
#define AS_PINNED 2
#define SAME_ROWS 3
#define TAKEN 4
#define OTHER_ROWS 5
inline classify(the_version, the_table, the_answer) {
  if
  :: head_top[the_table] < version[the_version].number[the_table] -> the_answer = BEHIND
  :: head_top[the_table] == version[the_version].number[the_table] && !head_foreign[HEAD(the_table, head_top[the_table])] ->
     the_answer = AS_PINNED
#ifdef MISTAKE_TAKEN_BY_NUMBER
  /* As a first reading of the design has it: beyond the pin's number only the pin's rows will do. */
  :: head_top[the_table] > version[the_version].number[the_table] ->
     if
     :: head_rows[HEAD(the_table, head_top[the_table])] == version[the_version].rows[the_table] -> the_answer = SAME_ROWS
     :: else -> the_answer = OTHER_ROWS
     fi
  :: head_top[the_table] == version[the_version].number[the_table] && head_foreign[HEAD(the_table, head_top[the_table])] ->
#else
  :: else ->
#endif
     if
     :: head_rows[HEAD(the_table, head_top[the_table])] == version[the_version].rows[the_table] -> the_answer = SAME_ROWS
     /* The rows that the pin was staged upon: its own change never became a head. */
     :: head_rows[HEAD(the_table, head_top[the_table])] != version[the_version].rows[the_table] &&
        head_rows[HEAD(the_table, head_top[the_table])] == version[the_version].base[the_table] -> the_answer = TAKEN
     :: else -> the_answer = OTHER_ROWS
     fi
  fi
}

inline copy_version(the_target, the_source, the_record) {
  the_target.record = the_record;
  the_target.number[0] = version[the_source].number[0];
  the_target.number[1] = version[the_source].number[1];
  the_target.rows[0] = version[the_source].rows[0];
  the_target.rows[1] = version[the_source].rows[1];
  the_target.base[0] = version[the_source].base[0];
  the_target.base[1] = version[the_source].base[1]
}

inline may_crash() {
  if
  :: skip
  :: d_step { crashes_left > 0 -> crashes_left-- }; goto dead
  fi
}

#define OLD(i) (now > birth[i] + LIFETIME)
#define LANDS(i) (now <= birth[i] + 2 * LIFETIME)

/* -- a writer ----------------------------------------------------------------------------------- */

proctype Writer(byte i) {
  byte m, t, found, lost, mine, i_search;
  bool created, known, asked;
  byte seen[TABLES];
  Version rebased;

  birth[i] = now;

again:
  may_crash();
  if
  :: OLD(i) -> goto too_old
  :: else
  fi;
  d_step {  /* the newest version; a record of this operation in any that is left */
    m = top;
    mine = 0;
    i_search = 1;
    do
    :: i_search <= top ->
       if
       :: is_there[i_search] && version[i_search].record == OF_WRITER(i) -> mine = i_search
       :: else
       fi;
       i_search++
    :: else -> break
    od;
    i_search = 0
  };
  if
  :: mine != 0 -> m = mine - 1; goto won
  :: else
  fi;
  t = 0;
  do
  :: t < TABLES && !TOUCHES(i, t) -> t++
  :: t < TABLES && TOUCHES(i, t) ->
     may_crash();
     d_step { seen[t] = head_top[t]; classify(m, t, found) };
     if
     :: found == BEHIND ->
        d_step { create_head(t, version[m].number[t], version[m].rows[t]) };
        goto again
     :: found == TAKEN ->
#ifdef MISTAKE_NO_REBASE
        goto refused
#else
        d_step {
          copy_version(rebased, m, OF_REBASE);
          rebased.number[t] = seen[t] + 1;
          rebased.base[t] = version[m].base[t]
        };
        may_crash();
        if
        :: m + 1 < SLOTS && seen[t] + 1 < HEADS ->
           d_step { create_version(m + 1, rebased, created); rebased.record = 0 };
           goto again
        :: else -> goto refused  /* the bounds of the model */
        fi
#endif
     :: found == OTHER_ROWS ->
#ifdef MISTAKE_OVER_FOREIGN_ROWS
        t++
#else
        goto refused
#endif
     :: found == AS_PINNED || found == SAME_ROWS -> t++
     fi
  :: else -> break
  od;
  t = 0;
  if
  :: m + 1 < SLOTS && seen[0] + 1 < HEADS && seen[1] + 1 < HEADS -> skip
  :: else -> goto refused
  fi;

  may_crash();
  d_step {
    staged[i] = true;
    copy_version(request[i], m, OF_WRITER(i));
    if
    :: TOUCHES(i, 0) ->
       request[i].number[0] = seen[0] + 1;
       request[i].base[0] = version[m].rows[0];
       request[i].rows[0] = version[m].rows[0] | BIT(i)
    :: else
    fi;
    if
    :: TOUCHES(i, 1) ->
       request[i].number[1] = seen[1] + 1;
       request[i].base[1] = version[m].rows[1];
       request[i].rows[1] = version[m].rows[1] | BIT(i)
    :: else
    fi
  };
#ifdef MISTAKE_HEAD_FIRST
  t = (i == 2 -> 1 : 0);
  d_step { create_head(t, request[i].number[t], request[i].rows[t]) };
  t = 0;
#endif
  may_crash();
  /* Recheck, in one parallel read. */
  if
  :: d_step {
       top == m && staged[i] && (!TOUCHES(i, 0) || head_top[0] == seen[0]) &&
       (!TOUCHES(i, 1) || head_top[1] == seen[1]) -> skip
     }
  :: else -> lost++; goto next_try
  fi;
  asked = false;

publish:
  may_crash();
  if
  :: OLD(i) -> goto too_old
  :: else
  fi;
  if
  :: /* it lands, and the answer comes; a copy of the request may still be under way */
     d_step { LANDS(i) -> create_version(m + 1, request[i], created) };
     if
     :: request_slot[i] = 0
     :: request_slot[i] = m + 1
     fi
  :: /* no answer: it may have landed, may land later, or be lost */
     d_step { request_slot[i] = m + 1; asked = true };
#ifdef MISTAKE_FAIL_AFTER_TIMEOUT
     goto refused
#endif
#ifdef MISTAKE_NEW_ID_AFTER_TIMEOUT
     /* The attempt goes on under another id: its own record is not recognised. */
     goto publish_as_another
#endif
     goto publish
  fi;
  if
  :: created -> goto won
  :: else
  fi;
#ifdef MISTAKE_ACKNOWLEDGE_BLINDLY
  goto won;
#endif
  d_step { mine = (version[m + 1].record == OF_WRITER(i) -> 1 : 0) };
  if
  :: mine != 0 -> goto won
  :: else -> lost++
  fi;

next_try:
  if
  :: lost > TRIES -> goto refused
  :: else -> goto again
  fi;

#ifdef MISTAKE_NEW_ID_AFTER_TIMEOUT
publish_as_another:
  /* Starts over at whatever is newest now, without looking for the first id. */
  if
  :: lost > TRIES -> goto refused
  :: else -> lost++
  fi;
  d_step {
    top + 1 < SLOTS && LANDS(i) ->
    copy_version(rebased, top, OF_WRITER(i));
    rebased.rows[0] = version[top].rows[0] | BIT(i);
    create_version(top + 1, rebased, created);
    rebased.record = 0
  };
  goto won;
#endif

won:
  verdict[i] = ACKNOWLEDGED;
  /* Follow. */
  t = 0;
  do
  :: t < TABLES && !TOUCHES(i, t) -> t++
  :: t < TABLES && TOUCHES(i, t) ->
     may_crash();
     d_step {
       if
       :: is_there[m + 1] && version[m + 1].record == OF_WRITER(i) &&
          version[m + 1].number[t] == version[top].number[t] ->
          create_head(t, version[m + 1].number[t], version[m + 1].rows[t])
       :: else
       fi
     };
     t++
  :: else -> break
  od;
  goto dead;

too_old:
  /* Nothing was asked in vain: nothing can have happened. */
  verdict[i] = (asked -> UNKNOWN : REFUSED);
  goto dead;

refused:
  verdict[i] = REFUSED;

dead:
  skip;
  d_step { writers_left--; m = 0; t = 0; found = 0; lost = 0; mine = 0; created = false;
           asked = false; seen[0] = 0; seen[1] = 0 }
}

/* -- requests under way ------------------------------------------------------------------------- */

#if WRITERS > 2
#define NONE_UNDER_WAY (request_slot[0] == 0 && request_slot[1] == 0 && request_slot[2] == 0)
#else
#define NONE_UNDER_WAY (request_slot[0] == 0 && request_slot[1] == 0)
#endif

proctype Network() {
  bool created;
  byte i;
  do
  :: d_step { request_slot[0] != 0 && LANDS(0) ->
              create_version(request_slot[0], request[0], created);
              request_slot[0] = 0; created = false }
  :: d_step { request_slot[1] != 0 && LANDS(1) ->
              create_version(request_slot[1], request[1], created);
              request_slot[1] = 0; created = false }
#if WRITERS > 2
  :: d_step { request_slot[2] != 0 && LANDS(2) ->
              create_version(request_slot[2], request[2], created);
              request_slot[2] = 0; created = false }
  :: d_step { request_slot[2] != 0 -> request_slot[2] = 0 }
#endif
  :: d_step { request_slot[0] != 0 -> request_slot[0] = 0 }
  :: d_step { request_slot[1] != 0 -> request_slot[1] = 0 }
  :: d_step { writers_left == 0 && cleaners_left == 0 && NONE_UNDER_WAY -> skip }; break
  od
}

/* -- somebody without weft: appends or compacts at the head, then perhaps cleans up ------------- */

proctype Foreigner() {
  byte commits, t, n, content;
  do
  :: commits < FOREIGN ->
     if
     :: t = 0
     :: t = 1
     fi;
     d_step { n = head_top[t]; content = head_rows[HEAD(t, n)] };
     if
     :: skip                              /* a compaction, an index */
     :: content = content | FOREIGN_ROWS  /* rows */
     fi;
     d_step {
       n + 1 < HEADS && !head_there[HEAD(t, n + 1)] && head_top[t] == n ->
       head_there[HEAD(t, n + 1)] = true;
       head_foreign[HEAD(t, n + 1)] = true;
       head_rows[HEAD(t, n + 1)] = content;
       head_top[t] = n + 1
     } unless { head_top[t] != n || n + 1 >= HEADS };
     d_step { commits++; n = 0; content = 0; t = 0 }
  :: break
  od;
#ifdef FOREIGN_CLEANUP
  /* Every head but the newest goes; detached versions are not seen. */
  skip;
  d_step {
    t = 0;
    do
    :: t < TABLES ->
       n = 1;
       do
       :: n < head_top[t] -> head_there[HEAD(t, n)] = false; head_rows[HEAD(t, n)] = 0;
          head_foreign[HEAD(t, n)] = false; n++
       :: else -> break
       od;
       t++
    :: else -> break
    od;
    t = 0; n = 0
  };
#endif
  commits = 0
}

/* -- our cleanup -------------------------------------------------------------------------------- */

#if TICKS > 0
proctype Clock() {
  do
  :: d_step { now < TICKS -> now++ }
  :: d_step { now == TICKS -> skip }; break
  od
}

/* Strikes out all but the newest version, and deletes what it struck out. */
proctype Cleaner() {
  byte m, k, when;
  bool created;
  Version mark;
  d_step { m = top; copy_version(mark, m, OF_CLEANUP) };
  if
  :: m + 1 < SLOTS ->
     d_step { create_version(m + 1, mark, created); mark.record = 0; mark.number[0] = 0;
              mark.number[1] = 0; mark.rows[0] = 0; mark.rows[1] = 0; mark.base[0] = 0;
              mark.base[1] = 0; when = now }
  :: else -> created = false
  fi;
  if
  :: created ->
     floor_version = m + 1;
#ifndef MISTAKE_CLEANUP_WITHOUT_WAITING
     if
     :: now > when + 2 * LIFETIME -> skip
     :: now == TICKS && now <= when + 2 * LIFETIME -> goto done
     fi;
#endif
     d_step {
       k = 1;
       do
       :: k < floor_version -> is_there[k] = false; k++
       :: else -> break
       od;
       k = 0
     }
  :: else
  fi;
done:
  skip;
  d_step { m = 0; when = 0; created = false; cleaners_left-- }
}

/* Deletes staged objects that no version refers to: takes the time, reads what is referred to, then
 * deletes what was old enough at that time. (Who judges the age when it deletes may have read long
 * ago, and delete what was published since.) */
proctype Sweeper() {
  byte i;
  bool free_to_go;
  do
  :: i < WRITERS ->
#ifdef MISTAKE_SWEEP_WITHOUT_AGE
     d_step { free_to_go = (staged[i] && times[i] == 0) };
#else
#ifdef MISTAKE_AGE_AFTER_READING
     d_step { free_to_go = (staged[i] && times[i] == 0) };
     if
     :: now > birth[i] + 2 * LIFETIME || now == TICKS || !free_to_go -> skip
     fi;
     d_step { free_to_go = (free_to_go && now > birth[i] + 2 * LIFETIME) };
#else
     if
     :: now > birth[i] + 2 * LIFETIME || now == TICKS || !staged[i] -> skip
     fi;
     d_step { free_to_go = (staged[i] && times[i] == 0 && now > birth[i] + 2 * LIFETIME) };
#endif
#endif
     if
     :: free_to_go -> d_step { staged[i] = false; assert(times[i] == 0) }
     :: else
     fi;
     i++
  :: else -> break
  od;
  skip;
  d_step { i = 0; free_to_go = false; cleaners_left-- }
}
#endif

/* -- beginning and end -------------------------------------------------------------------------- */

init {
  byte i, t, found, i_search;
  bool known;
  d_step {
    top = 1;
    is_there[1] = true;
    version[1].record = OF_CLEANUP;
    version[1].number[0] = 1;
    version[1].number[1] = 1;
    head_top[0] = 1;
    head_top[1] = 1;
    head_there[HEAD(0, 1)] = true;
    head_there[HEAD(1, 1)] = true
  };
  atomic {
    run Writer(0);
    run Writer(1);
#if WRITERS > 2
    run Writer(2);
#endif
    run Network();
    run Foreigner();
#if TICKS > 0
    run Clock();
#ifndef NO_CLEANER
    cleaners_left++;
    run Cleaner();
#endif
#ifndef NO_SWEEPER
    cleaners_left++;
    run Sweeper();
#endif
#endif
  };
  /* Timeout: everybody is at the end. */
  _nr_pr == 1;
  d_step {
    i = 0;
    do
    :: i < WRITERS ->
       /* Acknowledged is published once, refused never. */
       assert(verdict[i] != ACKNOWLEDGED || times[i] == 1);
       assert(verdict[i] != REFUSED || times[i] == 0);
       assert(times[i] == 0 || !TOUCHES(i, 0) || (version[top].rows[0] & BIT(i)) != 0);
       assert(times[i] == 0 || !TOUCHES(i, 1) || (version[top].rows[1] & BIT(i)) != 0);
       i++
    :: else -> break
    od;
    i = 0
  };
  /* Nobody is wedged: the next writer finds each table as it should be, makes it so, or meets rows
   * of somebody else, which are still there. */
  t = 0;
  do
  :: t < TABLES ->
     d_step { classify(top, t, found) };
     if
     :: found == BEHIND ->
        d_step { create_head(t, version[top].number[t], version[top].rows[t]) };
        assert(head_top[t] == version[top].number[t])
     :: found == TAKEN ->
#ifdef MISTAKE_NO_REBASE
        assert(false)
#else
        skip
#endif
     :: found == OTHER_ROWS ->
        assert((head_rows[HEAD(t, head_top[t])] & FOREIGN_ROWS) != 0)
     :: else
     fi;
     t++
  :: else -> break
  od
}
